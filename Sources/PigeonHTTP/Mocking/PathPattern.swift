public import Foundation

/// Says which paths a scripted answer is for.
///
/// ```swift
/// mock.answer(.get, "/users/:id") { request, values in try .json(users[values["id"]]) }
/// mock.answer(.get, "https://cdn.example.com/**", with: .status(.notFound))
/// mock.answer(.get, [.constant("posts"), .wildcard(type: .integer)], with: .text("a post"))
/// ```
///
/// In a string, `:name` is one component of any text, `*` is one without a name, and `**` at the end is any number of
/// components, none included. An address with scheme and host is for that server alone. All else is plain text, compared
/// with the decoded components of the path. Slashes at the end, and doubled ones, do not count.
public struct PathPattern: Sendable, Hashable {
    let components: [PathComponent]
    private var names: [String: Int] = [:]
    private var takesRest = false
    private(set) var origin: String?

    /// Creates a pattern of components.
    public init(_ components: [PathComponent]) {
        self.components = components
    }

    /// Creates a pattern of a text such as `/users/:id`.
    public init(_ text: String) {
        var path = Substring(text)
        if let scheme = text.range(of: "://") {
            path = text[scheme.upperBound...].drop { $0 != "/" }
            origin = URL(string: String(text[..<path.startIndex]))?.origin ?? ""
        }
        var parts = path.split(separator: "/")
        if parts.last == "**" {
            parts.removeLast()
            takesRest = true
        }
        components = parts.map { part in
            part == "*" || part.first == ":" ? .wildcard(type: .string) : .constant(String(part))
        }
        for (index, part) in parts.enumerated() where part.first == ":" { names[String(part.dropFirst())] = index }
    }

    /// What the pattern finds in an address, or `nil` when the address does not match.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - base: The address below whose path the pattern begins, unless it names a server.
    public func values(in url: URL, below base: URL? = nil) -> PathValues? {
        guard origin == nil || origin == url.origin, let parts = url.pathParts(below: origin == nil ? base : nil),
            takesRest ? parts.count >= components.count : parts.count == components.count
        else { return nil }
        var found: [PathValue] = []
        for (component, part) in zip(components, parts) {
            guard let value = component.value(of: part) else { return nil }
            found.append(value)
        }
        return PathValues(all: found + parts.dropFirst(found.count).map(PathValue.string), names: names)
    }
}

extension PathPattern: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Creates a pattern of a text such as `/users/:id`.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a pattern of components.
    public init(arrayLiteral elements: PathComponent...) {
        self.init(elements)
    }
}
