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
