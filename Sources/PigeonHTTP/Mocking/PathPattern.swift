public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The paths that a scripted answer is for.
///
/// ```swift
/// mock.answer(.get, "/users/:id") { request, values in try .json(users[values["id"]]) }
/// mock.answer(.get, "https://cdn.example.com/**", with: .status(.notFound))
/// mock.answer(.get, [.constant("posts"), .wildcard(type: .integer)], with: .text("a post"))
/// ```
///
/// In a string, `:name` is one component of any text, `*` is one without a name, and `**` at the end is any number of
/// components, including none. An address with scheme and host matches that server alone. All other text is compared
/// literally with the decoded components of the path. Slashes at the end, and doubled ones, do not count.
public struct PathPattern: Sendable, Hashable {
    let components: [PathComponent]
    private var names: [String: Int] = [:]
    private var takesRest = false
    private(set) var origin: String?

    /// Creates a pattern from components.
    public init(_ components: [PathComponent]) {
        self.components = components
    }

    /// Creates a pattern from a text such as `/users/:id`.
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

    /// Returns the values that the pattern finds in an address, or `nil` if the address does not match.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - base: The address below whose path the pattern begins, unless the pattern names a server.
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
    /// Creates a pattern from a text such as `/users/:id`.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a pattern from components.
    public init(arrayLiteral elements: PathComponent...) {
        self.init(elements)
    }
}

/// One part of a path pattern, between two slashes.
///
/// ```swift
/// let post: [PathComponent] = [.constant("posts"), .wildcard(type: .integer)]
/// url.integerValue(atIndex: 1, matching: post)            // 7, for https://example.com/posts/7
/// ```
public enum PathComponent: Sendable, Hashable {
    /// Exactly this text, without percent encoding.
    case constant(String)
    /// Any text of a type.
    case wildcard(type: WildcardType)

    /// The value of a decoded part of a path, or `nil` if it does not match.
    func value(of part: String) -> PathValue? {
        switch self {
        case .constant(let text): part == text ? .string(part) : nil
        case .wildcard(type: .string): .string(part)
        case .wildcard(type: .integer): part.first == "+" ? nil : Int(part).map(PathValue.integer)
        }
    }
}

/// The type of a wildcard in a path pattern.
public enum WildcardType: Sendable, Hashable {
    /// A whole number that fits an `Int`, with or without a minus.
    case integer
    /// Any text that is not empty.
    case string
}

/// The value of a path at a component of a pattern.
public enum PathValue: Sendable, Hashable {
    /// A text: a constant, or the match of a wildcard for strings.
    case string(String)
    /// A number: the match of a wildcard for integers.
    case integer(Int)

    /// The number of ``integer(_:)``, or the number that the string contains.
    public var integer: Int? {
        switch self {
        case .string(let text): text.first == "+" ? nil : Int(text)
        case .integer(let number): number
        }
    }

    /// The text, or the digits of the number.
    public var string: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        }
    }
}

extension PathComponent: CustomStringConvertible {
    /// The text of a constant, or the type of a wildcard after a colon, such as `:integer`.
    public var description: String {
        switch self {
        case .constant(let text): text
        case .wildcard(let type): ":\(type)"
        }
    }
}

extension PathValue: CustomStringConvertible {
    /// The ``string``.
    public var description: String { string }
}

/// The values that a pattern found in a path.
public struct PathValues: Sendable, Hashable {
    /// One value for each component of the path.
    public let all: [PathValue]
    let names: [String: Int]

    /// The text at `:name` in the pattern, or `nil` if the pattern has no such name.
    public subscript(name: String) -> String? {
        names[name].map { all[$0].string }
    }

    /// The value of the component at an index, counted from 0, or `nil` if there is none.
    public subscript(index: Int) -> PathValue? {
        all.indices.contains(index) ? all[index] : nil
    }

    /// Returns the number at `:name` in the pattern, or `nil` if the text there is no number.
    public func integer(_ name: String) -> Int? {
        names[name].flatMap { all[$0].integer }
    }
}

extension URL {
    /// Returns the path's values at the components of the pattern, or `nil` if the path does not match.
    ///
    /// The values are decoded, and there is one for each component. Slashes at the end, and doubled ones, do not count.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        PathPattern(pattern).values(in: self)?.all
    }

    /// Returns true if the path has exactly the components of the pattern.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        pathValues(matching: pattern) != nil
    }

    /// Returns the number that a wildcard for integers found.
    ///
    /// - Parameters:
    ///   - index: The index of the component, counted from 0.
    ///   - pattern: The pattern that the path must match.
    /// - Returns: `nil` if the path does not match, or if there is no number or no component at that index.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        guard case .integer(let number)? = PathPattern(pattern).values(in: self)?[index] else { return nil }
        return number
    }

    /// Returns the text that a constant or a wildcard for strings found.
    ///
    /// - Parameters:
    ///   - index: The index of the component, counted from 0.
    ///   - pattern: The pattern that the path must match.
    /// - Returns: `nil` if the path does not match, or if there is no text or no component at that index.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        guard case .string(let text)? = PathPattern(pattern).values(in: self)?[index] else { return nil }
        return text
    }

    /// The decoded components of the path without those of `base` at the front, or `nil` if one cannot be decoded.
    func pathParts(below base: URL?) -> [String]? {
        guard let path = URLComponents(url: self, resolvingAgainstBaseURL: true)?.percentEncodedPath else { return nil }
        var parts: [String] = []
        for part in path.split(separator: "/") {
            guard let decoded = part.removingPercentEncoding else { return nil }
            parts.append(decoded)
        }
        guard let front = base?.pathParts(below: nil), parts.starts(with: front) else { return parts }
        return Array(parts.dropFirst(front.count))
    }
}

extension URLRequest {
    /// Returns the values in the address's path, as `URL.pathValues(matching:)` does.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        url?.pathValues(matching: pattern)
    }

    /// Returns true if the address's path matches, as `URL.pathMatches(pattern:)` does.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        url?.pathMatches(pattern: pattern) ?? false
    }

    /// Returns a number in the address's path, as `URL.integerValue(atIndex:matching:)` does.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        url?.integerValue(atIndex: index, matching: pattern)
    }

    /// Returns a text in the address's path, as `URL.stringValue(atIndex:matching:)` does.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        url?.stringValue(atIndex: index, matching: pattern)
    }
}
