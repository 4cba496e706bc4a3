/// Tells contents of unknown type apart.
package enum ContentCast {
    /// The content as a type, if it is of that type.
    ///
    /// Anything is an `Any`; only nothing is a `Void`. A content that is a `nil` is of its own type alone, though Swift
    /// would take it for a `nil` of any.
    package static func cast<Content, New>(_ content: Content, to type: New.Type = New.self) -> New? {
        if let same = content as? New, !(content is any OptionalContent) { return same }
        if let optional = content as? any OptionalContent {
            if Swift.type(of: content as Any) == type { return content as? New }
            guard let wrapped = optional.wrappedContent else { return nil }
            return cast(wrapped, to: type)
        }
        return nil
    }

    /// Whether the value is an optional without a value, however deep it is nested.
    static func isNil(_ value: Any) -> Bool {
        guard let optional = value as? any OptionalContent else { return false }
        return optional.wrappedContent.map(isNil) ?? true
    }
}

/// An optional of whatever.
private protocol OptionalContent {
    var wrappedContent: Any? { get }
}

extension Optional: OptionalContent {
    fileprivate var wrappedContent: Any? { self }
}
