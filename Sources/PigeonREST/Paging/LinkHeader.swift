internal import Foundation

/// The links of a `Link` header field (RFC 8288, 3): `<https://api.test/repos?page=2>; rel="next", …`.
struct LinkHeader {
    private var links: [String: URL] = [:]

    /// - Parameter base: The URL of the response. Relative links are resolved against it.
    init(_ field: String, at base: URL) {
        var rest = Array(field.unicodeScalars)[...]
        while let start = rest.firstIndex(of: "<") {
            guard let end = rest[start...].firstIndex(of: ">") else { return }
            let target = String(String.UnicodeScalarView(rest[(start + 1)..<end]))
            rest = rest[(end + 1)...]
            let parameters = Self.parameters(&rest)
            guard let url = base.relative(target) else { continue }
            for name in parameters["rel"]?.split(separator: " ") ?? [] where links[name.lowercased()] == nil {
                links[name.lowercased()] = url
            }
        }
    }

    /// The target of the first link that has a relation, such as "next".
    subscript(relation: String) -> URL? { links[relation] }

    /// Reads the parameters of one link, up to the comma before the next link, or up to the next link if the comma is
    /// missing. If a name occurs several times, returns its first value.
    private static func parameters(_ rest: inout ArraySlice<Unicode.Scalar>) -> [String: String] {
        var parameters: [String: String] = [:]
        while let separator = rest.first(where: { $0 == ";" || $0 == "," || $0 == "<" }), separator == ";" {
            rest = rest[(rest.firstIndex(of: ";").map { $0 + 1 } ?? rest.endIndex)...]
            let name = text(&rest, until: ["=", ";", ","]).lowercased()
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst()
            let value = value(&rest)
            if parameters[name] == nil { parameters[name] = value }
        }
        return parameters
    }

    private static func value(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
        while let blank = rest.first, blank == " " || blank == "\t" { rest = rest.dropFirst() }
        guard rest.first == "\"" else { return text(&rest, until: [";", ","]) }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let next = rest.popFirst(), next != "\"" {
            guard next == "\\", let escaped = rest.popFirst() else {
                value.append(next)
                continue
            }
            value.append(escaped)
        }
        return String(value)
    }

    private static func text(_ rest: inout ArraySlice<Unicode.Scalar>, until ends: Set<Unicode.Scalar>) -> String {
        let end = rest.firstIndex { ends.contains($0) } ?? rest.endIndex
        defer { rest = rest[end...] }
        return String(String.UnicodeScalarView(rest[..<end])).trimmingCharacters(in: .whitespaces)
    }
}
