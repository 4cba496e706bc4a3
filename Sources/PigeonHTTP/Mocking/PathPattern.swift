public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

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

/// One part of a path pattern, between two slashes.
///
/// ```swift
/// let post: [PathComponent] = [.constant("posts"), .wildcard(type: .integer)]
/// url.integerValue(atIndex: 1, matching: post)            // 7, for https://example.com/posts/7
/// ```
public enum PathComponent: Sendable, Hashable {
    /// Exactly this text, in plain letters: what a URL must encode is not encoded here.
    case constant(String)
    /// Any text of a type.
    case wildcard(type: PathWildcardType)

    /// The value of a part of a path, already decoded, or `nil` when it is another.
    func value(of part: String) -> PathValue? {
        switch self {
        case .constant(let text): part == text ? .string(part) : nil
        case .wildcard(type: .string): .string(part)
        case .wildcard(type: .integer): part.first == "+" ? nil : Int(part).map(PathValue.integer)
        }
    }
}

/// What a wildcard of a path pattern stands for.
public enum PathWildcardType: Sendable, Hashable {
    /// A whole number that fits an `Int`, with or without a minus.
    case integer
    /// Any text but none.
    case string
}

/// What stands in a path where a pattern has a component.
public enum PathValue: Sendable, Hashable {
    /// A text: a constant, or what a wildcard for strings found.
    case string(String)
    /// A number: what a wildcard for integers found.
    case integer(Int)

    /// The number: that of ``integer(_:)``, or the one a string is.
    public var integer: Int? {
        switch self {
        case .string(let text): text.first == "+" ? nil : Int(text)
        case .integer(let number): number
        }
    }

    /// The text, which for a number is its digits.
    public var string: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        }
    }
}

/// What a pattern found in a path.
public struct PathValues: Sendable, Hashable {
    /// One value for each component of the path.
    public let all: [PathValue]
    let names: [String: Int]

    /// The text that stands where the pattern has `:name`, or `nil` when it has no such name.
    public subscript(name: String) -> String? {
        names[name].map { all[$0].string }
    }

    /// The value of the component at an index, counted from 0, or `nil` when there is none.
    public subscript(index: Int) -> PathValue? {
        all.indices.contains(index) ? all[index] : nil
    }

    /// The number that stands where the pattern has `:name`, or `nil` when that is none.
    public func integer(_ name: String) -> Int? {
        names[name].flatMap { all[$0].integer }
    }
}

extension URL {
    /// What stands in the path where the pattern has its components, or `nil` when the path does not match it.
    ///
    /// The values are decoded, and there are as many as the pattern has components. Slashes at the end, and doubled ones,
    /// do not count.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        PathPattern(pattern).values(in: self)?.all
    }

    /// Whether the path has exactly the components of the pattern.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        pathValues(matching: pattern) != nil
    }

    /// The number that a wildcard for integers found.
    ///
    /// - Parameters:
    ///   - index: The place of the component, counted from 0.
    ///   - pattern: What the path has to match.
    /// - Returns: `nil` when the path does not match, or when there is no number at that place or no such place.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        guard let values = pathValues(matching: pattern), values.indices.contains(index),
            case .integer(let number) = values[index]
        else { return nil }
        return number
    }

    /// The text that a constant or a wildcard for strings found.
    ///
    /// - Parameters:
    ///   - index: The place of the component, counted from 0.
    ///   - pattern: What the path has to match.
    /// - Returns: `nil` when the path does not match, or when there is no text at that place or no such place.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        guard let values = pathValues(matching: pattern), values.indices.contains(index),
            case .string(let text) = values[index]
        else { return nil }
        return text
    }

    /// The decoded components of the path, or `nil` when one cannot be decoded. Those of `base` at the front are left off.
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
    /// What stands in the path of the address: `URL.pathValues(matching:)`.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        url?.pathValues(matching: pattern)
    }

    /// Whether the address's path matches: `URL.pathMatches(pattern:)`.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        url?.pathMatches(pattern: pattern) ?? false
    }

    /// A number in the address's path: `URL.integerValue(atIndex:matching:)`.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        url?.integerValue(atIndex: index, matching: pattern)
    }

    /// A text in the address's path: `URL.stringValue(atIndex:matching:)`.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        url?.stringValue(atIndex: index, matching: pattern)
    }
}
