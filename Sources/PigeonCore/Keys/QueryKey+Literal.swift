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
        let isPlain = !text.utf8.contains { $0 == UInt8(ascii: "%") || $0 >= 0x80 }
        if isPlain {
            // Most literals are canonical already.
            self.init(canonical: text)
        } else {
            var path = StringInterpolation(literalCapacity: text.utf8.count, interpolationCount: 0)
            path.appendLiteral(text)
            self.init(stringInterpolation: path)
        }
    }

    /// Creates a key from a literal that contains values. Each value is part of one component, whatever its text.
    public init(stringInterpolation path: StringInterpolation) {
        self.init(canonical: path.components.map(Self.escaped).joined(separator: "/"))
    }

    /// Collects the components of a key that is written as a literal with values in it.
    public struct StringInterpolation: StringInterpolationProtocol {
        /// The components so far, unescaped. The last one is still growing.
        fileprivate var components = [""]

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a piece of the literal, in which a slash separates two components.
        public mutating func appendLiteral(_ literal: String) {
            // Splits by scalars, because "/" followed by a combining mark is one character.
            let pieces = literal.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { components.append("") }
                append(QueryKey.unescaped(Substring(piece)))
            }
        }

        /// Adds the text of a value to the current component.
        public mutating func appendInterpolation(_ component: some QueryKeyComponent) {
            append(component.queryKeyComponent)
        }

        private mutating func append(_ text: String) {
            components[components.count - 1] += text
        }
    }
}
