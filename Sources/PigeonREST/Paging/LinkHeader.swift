internal import Foundation
internal import PigeonHTTP

/// The links of a `Link` header field (RFC 8288, 3): `<https://api.test/repos?page=2>; rel="next", …`.
struct LinkHeader {
    private var links: [String: URL] = [:]

    /// - Parameter base: The URL of the response. Relative links are resolved against it.
    init(_ field: String, at base: URL) {
        for link in FieldElement.list(field) {
            guard let relations = link["rel"], link.head.name.hasPrefix("<"), link.head.name.hasSuffix(">"),
                let url = base.relative(String(link.head.name.dropFirst().dropLast()))
            else { continue }
            for name in relations.split(separator: " ") where links[name.lowercased()] == nil {
                links[name.lowercased()] = url
            }
        }
    }

    /// The target of the first link that has a relation, such as "next".
    subscript(relation: String) -> URL? { links[relation] }
}
