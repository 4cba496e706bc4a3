internal import Foundation

/// Identifies a piece of server data by a path of components, with optional tags.
///
/// ```swift
/// let user = QueryKey("users", 42)             // users/42
/// let posts = user.appending("posts")          // users/42/posts
/// let tagged = posts.tagged("feed")            // the same key; `invalidate(.tag("feed"))` finds it
/// let same: QueryKey = "users/42"              // a literal is read as a path
/// let again: QueryKey = ["users", 42]          // and an array literal as its components
/// ```
///
/// Keys are equal if their paths are equal. Tags do not count. Text is stored in Unicode's composed form, so keys that
/// are equal in memory have the same bytes on disk. Different paths never produce the same text: `["a", "b/c"]` and
/// `["a/b", "c"]` differ, because separators inside a component are escaped.
public struct QueryKey: Hashable, Sendable, QueryKeyType {
    /// The canonical text: the components joined by `/`, with `%` and `/` inside a component written as `%25` and
    /// `%2F`.
    public let queryKeyValue: String

    /// The tags by which the key can be invalidated. Not part of the key's identity.
    public private(set) var tags: [String] = []

    /// Computed once, because a key is hashed on every read of the cache.
    private let hash: Int

    package init(canonical text: String) {
        queryKeyValue = text
        var hasher = Hasher()
        hasher.combine(text)
        hash = hasher.finalize()
    }

    /// Creates a key of one component, which may contain any characters, including slashes.
    ///
    /// A string literal is read as a path instead: `"a/b"` has two components, `QueryKey(value: "a/b")` has one.
    public init(value: String) {
        self.init(canonical: Self.escaped(value))
    }

    /// Creates a key from its path.
    public init(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) {
        self.init(first: first, rest: rest)
    }

    package init(first: any QueryKeyComponent, rest: [any QueryKeyComponent]) {
        self.init(canonical: Self.plainText(first, rest) ?? Self.text(first, rest))
    }

    private static func text(_ first: any QueryKeyComponent, _ rest: [any QueryKeyComponent]) -> String {
        var text = escaped(first.queryKeyComponent)
        for component in rest {
            text.append("/")
            text.append(escaped(component.queryKeyComponent))
        }
        return text
    }

    /// The text of components that are written as they are and take less than 256 bytes, as most do. It is put together
    /// on the stack, because keys are made at each call.
    private static func plainText(_ first: any QueryKeyComponent, _ rest: [any QueryKeyComponent]) -> String? {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer -> String? in
            var count = 0
            func append(_ component: any QueryKeyComponent) -> Bool {
                var text = component.queryKeyComponent
                return text.withUTF8 { bytes in
                    guard count + bytes.count < buffer.count, bytes.allSatisfy(isPlain) else { return false }
                    buffer[count...].copyBytes(from: bytes)
                    count += bytes.count
                    return true
                }
            }
            guard append(first) else { return nil }
            for component in rest {
                buffer[count] = UInt8(ascii: "/")
                count += 1
                guard append(component) else { return nil }
            }
            return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
    }

    /// The components of the path, unescaped, first to last. Never empty.
    public var components: [String] {
        // Splits bytes, because "/" followed by a combining mark is one character.
        queryKeyValue.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Self.unescaped(Substring($0)) }
    }

    /// Returns a key with one more component.
    public func appending(_ component: any QueryKeyComponent) -> QueryKey {
        joined(with: Self.escaped(component.queryKeyComponent))
    }

    /// Returns a key with one more component.
    public func appending(_ component: String) -> QueryKey {
        joined(with: Self.escaped(component))
    }

    /// Returns a key that is continued by the whole path of another key.
    public func appending(_ key: any QueryKeyType) -> QueryKey {
        if let key = key as? QueryKey { return joined(with: key.queryKeyValue) }
        return joined(with: Self.escaped(key.queryKeyValue))
    }

    /// Returns the same key with additional tags.
    public func tagged(_ tags: String...) -> QueryKey {
        adding(tags: tags)
    }

    /// Returns true if this key is `path` or lies below it.
    public func isWithin(_ path: QueryKey) -> Bool {
        let (mine, wanted) = (queryKeyValue.utf8, path.queryKeyValue.utf8)
        guard mine.count > wanted.count else { return self == path }
        return mine.starts(with: wanted) && mine.dropFirst(wanted.count).first == UInt8(ascii: "/")
    }

    /// Calls `body` with this key and each path above it.
    func forEachPath(_ body: (QueryKey) -> Void) {
        body(self)
        var rest = queryKeyValue[...]
        // Searches bytes, because "/" followed by a combining mark is one character.
        while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<slash]
            body(QueryKey(canonical: String(rest)))
        }
    }

    /// Compares paths. Tags do not count.
    public static func == (one: QueryKey, other: QueryKey) -> Bool {
        one.hash == other.hash && one.queryKeyValue == other.queryKeyValue
    }

    /// Hashes the path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(hash)
    }

    package func adding(tags more: [String]) -> QueryKey {
        var key = self
        if tags.isEmpty, more.count == 1 {
            key.tags = more
            return key
        }
        for tag in more where !key.tags.contains(tag) { key.tags.append(tag) }
        return key
    }

    private func joined(with escaped: String) -> QueryKey {
        QueryKey(canonical: "\(queryKeyValue)/\(escaped)").adding(tags: tags)
    }

    /// True if the text of a path is canonical, as most are.
    private static func isCanonical(_ path: String) -> Bool {
        !path.utf8.contains { $0 == UInt8(ascii: "%") || $0 >= 0x80 }
    }

    /// True if a component is written in a path as it is.
    private static func isPlain(_ component: String) -> Bool {
        component.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%") && byte < 0x80
    }

    static func escaped(_ component: String) -> String {
        guard !isPlain(component) else { return component }
        var text = ""
        for character in component.precomposedStringWithCanonicalMapping.unicodeScalars {
            switch character {
            case "%": text += "%25"
            case "/": text += "%2F"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }

    private static let escapes: [String: Unicode.Scalar] = ["25": "%", "2F": "/"]

    static func unescaped(_ component: Substring) -> String {
        guard component.utf8.contains(UInt8(ascii: "%")) else { return String(component) }
        var text = ""
        var rest = component.unicodeScalars[...]
        while let character = rest.popFirst() {
            let escape = character == "%" ? escapes[String(Substring(rest.prefix(2)))] : nil
            text.unicodeScalars.append(escape ?? character)
            if escape != nil { rest = rest.dropFirst(2) }
        }
        return text
    }
}

extension QueryKey {
    /// The key of a query that has no request yet. It holds no value.
    package static let ofNothing = QueryKey("")
}

extension QueryKey: CustomStringConvertible {
    /// The canonical text.
    public var description: String { queryKeyValue }
}

extension QueryKey: Codable {
    /// Decodes a key from its canonical text.
    public init(from decoder: any Decoder) throws {
        self.init(canonical: try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the canonical text. Tags are not encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(queryKeyValue)
    }
}

extension QueryKey: ExpressibleByStringInterpolation {
    /// Creates the key that prints as the literal: a slash separates two components.
    ///
    /// ```swift
    /// let user: QueryKey = "users/42"              // QueryKey("users", 42)
    /// let same: QueryKey = "users/\(person.id)"    // the text of a value is never split
    /// ```
    ///
    /// - Empty components count: `"users/"` is `QueryKey("users", "")`, which lies below `"users"`.
    /// - `%2F` and `%25` stand for a slash and a percent sign inside a component, so that a printed key can be pasted.
    ///   Any other percent sign stands for itself.
    ///
    /// Only a literal for a whole key is split. A component that is listed or appended, such as `QueryKey("a/b", 1)`,
    /// and a key that is created from a `String` variable contain the text unchanged.
    public init(stringLiteral text: String) {
        var path = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        path.appendLiteral(text)
        self.init(stringInterpolation: path)
    }

    /// Creates a key from a literal that contains values. Each value is part of one component, whatever its text.
    public init(stringInterpolation path: StringInterpolation) {
        self.init(canonical: path.text)
    }

    /// Collects the canonical text of a key that is written as a literal with values in it.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// The canonical text so far. Its last component is still growing.
        fileprivate var text = ""

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 12 * interpolationCount)
        }

        /// Adds a piece of the literal, in which a slash separates two components.
        public mutating func appendLiteral(_ literal: String) {
            guard !QueryKey.isCanonical(literal) else { return text += literal }
            // Splits by scalars, because "/" followed by a combining mark is one character.
            let pieces = literal.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { text += "/" }
                append(QueryKey.unescaped(Substring(piece)))
            }
        }

        /// Adds the text of a value to the current component.
        public mutating func appendInterpolation(_ component: some QueryKeyComponent) {
            append(component.queryKeyComponent)
        }

        private mutating func append(_ part: String) {
            guard !QueryKey.isPlain(part) else { return text += part }
            // The part may compose with the text before it, so the whole component is written again.
            let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
            let start = slash.map { text.utf8.index(after: $0) } ?? text.startIndex
            text = text[..<start] + QueryKey.escaped(QueryKey.unescaped(text[start...]) + part)
        }
    }
}

extension QueryKey: ExpressibleByArrayLiteral {
    /// Creates a key from its components. Without any, it has one empty component.
    public init(_ components: [any QueryKeyComponent]) {
        self.init(first: components.first ?? "", rest: Array(components.dropFirst()))
    }

    /// Creates a key from the components of a literal.
    public init(arrayLiteral components: any QueryKeyComponent...) {
        self.init(components)
    }
}

/// A type whose values identify pieces of server data by text.
public protocol QueryKeyType {
    /// The canonical text of the key.
    var queryKeyValue: String { get }
}
