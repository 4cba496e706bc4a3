/// Something whose content can be asked for by type: an entity, an error with its body, a resource.
///
/// ```swift
/// let name = resource.jsonDict["name"] as? String
/// let user: User? = resource.typedContent()
/// ```
public protocol TypedContentAccessors {
    /// The type of the content.
    associatedtype ContentType

    /// What holds the content, if there is any.
    var entityForTypedContentAccessors: Entity<ContentType>? { get }
}

extension TypedContentAccessors {
    /// The content as a type, or something else where there is none of that type.
    public func typedContent<T>(ifNone defaultContent: @autoclosure () -> T) -> T {
        typedContent() ?? defaultContent()
    }

    /// The content as a type, or something else, which may be `nil`, where there is none of that type.
    public func typedContent<T>(ifNone defaultContent: @autoclosure () -> T?) -> T? {
        typedContent() ?? defaultContent()
    }

    /// The content as a type, or `nil` where there is none of that type.
    public func typedContent<T>() -> T? {
        guard let entity = entityForTypedContentAccessors else { return nil }
        return ContentCast.cast(entity.content)
    }

    /// The content if it is a JSON object, else an empty one.
    public var jsonDict: [String: Any] { typedContent(ifNone: [:]) }

    /// The content if it is a JSON array, else an empty one.
    public var jsonArray: [Any] { typedContent(ifNone: []) }

    /// The content if it is text, else an empty one.
    public var text: String { typedContent(ifNone: "") }
}

extension Entity: TypedContentAccessors {
    /// The entity itself.
    public var entityForTypedContentAccessors: Entity<ContentType>? { self }
}

extension RequestError: TypedContentAccessors {
    /// The body that came with the error.
    public var entityForTypedContentAccessors: Entity<any Sendable>? { entity }
}

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
