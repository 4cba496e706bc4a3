public import Foundation

/// A path and a query, as they are written in a literal.
///
/// ```swift
/// let second: [User] = try await dispatcher.value(from: .get("/users?page=2"))
/// let posts: [Post] = try await dispatcher.value(from: .get("/users/\(id)/posts?q=\(text)"))
/// ```
///
/// Only separators that are written in the literal itself count: its first "?" begins the query, "&" separates the
/// items, and "=" ends an item's name. An interpolated value cannot add an item to the query, whatever the value
/// contains. In the query it is part of one name or value. In the path it is plain text, as a `String` is: its slashes
/// separate components, and its "?" belongs to the path.
///
/// A value that is one component of the path, whatever it contains, is interpolated as `component`. Its slashes are sent
/// as "%2F":
///
/// ```swift
/// let issues: [Issue] = try await dispatcher.value(from: .get("/projects/\(component: "group/project")/issues"))
/// ```
///
/// All text is plain, and is percent-encoded when it is sent. "%" and "#" have no special meaning: "%20" is sent as
/// "%2520". A `String` in a variable is a path without a query.
public struct RequestTarget: Sendable, Hashable {
    /// The path, as plain text.
    public let path: String
    /// The items of the query, as plain text.
    public let queryItems: [URLQueryItem]

    /// Creates a target from plain text. A "?" in the path belongs to the path.
    public init(path: String, queryItems: [URLQueryItem] = []) {
        self.path = path
        self.queryItems = queryItems
    }

    /// Creates a target from the components of a path. Slashes within a component are sent as "%2F".
    public init(components: [String], queryItems: [URLQueryItem] = []) {
        self.init(path: components.map { "/\($0.asPathComponent)" }.joined(), queryItems: queryItems)
    }

    /// The query items of a request: those of the target, those that were passed as values, and all others.
    func items(adding values: URLQueryValues, _ others: [URLQueryItem]) -> [URLQueryItem] {
        let added: [URLQueryItem] = values.compactMap { name, value in
            value.map { URLQueryItem(name: name, value: $0.description) }
        }
        return queryItems + added + others
    }
}

/// The values of a query, by name. A value that is `nil` is left out.
///
/// ```swift
/// let found: [User] = try await dispatcher.value(from: .get("/users", query: ["page": 2, "q": text, "tag": tag]))
/// ```
public typealias URLQueryValues = KeyValuePairs<String, (any LosslessStringConvertible)?>

extension RequestTarget: ExpressibleByStringInterpolation {
    /// Creates a target from a literal such as `"/users?page=2"`.
    public init(stringLiteral value: String) {
        var text = StringInterpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
        text.appendLiteral(value)
        self.init(stringInterpolation: text)
    }

    /// Creates a target from a literal with values, such as `"/users/\(id)?page=\(page)"`.
    public init(stringInterpolation text: StringInterpolation) {
        self.init(path: text.path, queryItems: text.items.filter { !$0.name.isEmpty || $0.value != nil })
    }

    /// Collects the text of a literal and the values in it.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var path = ""
        /// The items of the query so far. Empty until the query begins.
        fileprivate var items: [URLQueryItem] = []

        /// Creates a target without any text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            path.reserveCapacity(literalCapacity)
        }

        /// Appends a part of the literal's own text, which separates the path, the names and the values.
        public mutating func appendLiteral(_ literal: String) {
            var rest = literal.unicodeScalars[...]
            while let end = rest.firstIndex(where: separators.contains) {
                append(String(rest[..<end]))
                begin(after: rest[end])
                rest = rest[end...].dropFirst()
            }
            append(String(rest))
        }

        /// Appends a value, which separates nothing.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            append(String(describing: value))
        }

        /// Appends a value that is one component of the path, or a part of one. Its slashes are sent as "%2F". In the
        /// query, it is a value as any other.
        public mutating func appendInterpolation<Value: LosslessStringConvertible>(component value: Value) {
            append(items.isEmpty ? value.description.asPathComponent : value.description)
        }

        /// Appends an optional value in its debug form, as a `String` does.
        @available(*, deprecated, message: "an optional is written as \"Optional(…)\" or \"nil\": unwrap it")
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            append(String(describing: value))
        }

        /// Appends a value, or another text if the value is `nil`.
        public mutating func appendInterpolation<Value>(_ value: Value?, default text: @autoclosure () -> String) {
            append(value.map { String(describing: $0) } ?? text())
        }

        /// The characters that end the path, the name or the value to which text is being appended.
        private var separators: [Unicode.Scalar] {
            guard let item = items.last else { return ["?"] }
            return item.value == nil ? ["&", "="] : ["&"]
        }

        private mutating func begin(after separator: Unicode.Scalar) {
            guard separator == "=", let last = items.indices.last else {
                return items.append(URLQueryItem(name: "", value: nil))
            }
            items[last].value = ""
        }

        private mutating func append(_ text: String) {
            guard let last = items.indices.last else { return path += text }
            if items[last].value == nil { items[last].name += text } else { items[last].value? += text }
        }
    }
}

extension String {
    /// The text as it stands within one component of a path.
    fileprivate var asPathComponent: String {
        guard utf8.contains(UInt8(ascii: "/")) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0 == "/" ? .escapedSlash : $0 }))
    }
}
