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
