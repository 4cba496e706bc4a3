package import Testing

extension Trait where Self == Comment {
    /// Cites the rules that a test or a suite checks, by their numbers in `Documentation/Rules.md`.
    ///
    ///     @Test("a retry waits", .rule("T36", "Siesta S11"))
    ///
    /// Below a test that fails, Swift Testing prints its comments and no other traits. The citation is therefore a comment.
    package static func rule(_ numbers: String...) -> Self {
        Comment(rawValue: numbers.joined(separator: ", "))
    }
}
