/// A value whose content can be read by type: an entity, an error with its body, or a resource.
///
/// ```swift
/// let name = resource.jsonDict["name"] as? String
/// let user: User? = resource.typedContent()
/// ```
public protocol TypedContentAccessors {
    /// The type of the content.
    associatedtype ContentType

    /// The entity that contains the content. `nil` if there is no content.
    var entityForTypedContentAccessors: Entity<ContentType>? { get }
}

extension TypedContentAccessors {
    /// Returns the content as a type, or a default if there is no content of that type.
    public func typedContent<T>(ifNone defaultContent: @autoclosure () -> T) -> T {
        typedContent() ?? defaultContent()
    }

    /// Returns the content as a type, or a default, which may be `nil`, if there is no content of that type.
    public func typedContent<T>(ifNone defaultContent: @autoclosure () -> T?) -> T? {
        typedContent() ?? defaultContent()
    }

    /// Returns the content as a type. `nil` if there is no content of that type.
    public func typedContent<T>() -> T? {
        guard let entity = entityForTypedContentAccessors else { return nil }
        return ContentCast.cast(entity.content)
    }

    /// The content if it is a JSON object. Otherwise an empty dictionary.
    public var jsonDict: [String: Any] { typedContent(ifNone: [:]) }

    /// The content if it is a JSON array. Otherwise an empty array.
    public var jsonArray: [Any] { typedContent(ifNone: []) }

    /// The content if it is text. Otherwise an empty string.
    public var text: String { typedContent(ifNone: "") }
}

extension Entity: TypedContentAccessors {
    /// The entity itself.
    public var entityForTypedContentAccessors: Entity<ContentType>? { self }
}

extension RequestError: TypedContentAccessors {
    /// The body of the error.
    public var entityForTypedContentAccessors: Entity<any Sendable>? { entity }
}

package enum ContentCast {
    /// Returns `nil` if the content does not have the type.
    ///
    /// Any content can be cast to `Any`, and only `Void` to `Void`. An optional without a value can be cast only to its
    /// own type, although Swift would cast it to any optional type.
    package static func cast<Content, New>(_ content: Content, to type: New.Type = New.self) -> New? {
        if let same = content as? New, !(content is any OptionalContent) { return same }
        if let optional = content as? any OptionalContent {
            if Swift.type(of: content as Any) == type { return content as? New }
            guard let wrapped = optional.wrappedContent else { return nil }
            return cast(wrapped, to: type)
        }
        return nil
    }

    /// Returns true if the value is an optional without a value, at any nesting depth.
    static func isNil(_ value: Any) -> Bool {
        guard let optional = value as? any OptionalContent else { return false }
        return optional.wrappedContent.map(isNil) ?? true
    }
}

private protocol OptionalContent {
    var wrappedContent: Any? { get }
}

extension Optional: OptionalContent {
    fileprivate var wrappedContent: Any? { self }
}
