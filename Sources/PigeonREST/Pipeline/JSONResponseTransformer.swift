internal import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes JSON of bytes: a `[String: any Sendable]` or an `[any Sendable]`, which can be read as `[String: Any]` and `[Any]`.
///
/// In them are `String`, `Bool`, `NSNull`, `Int` for whole numbers, and `Double` for others and for those that no `Int`
/// holds. JSON that is neither object nor array is an error. An empty body stays empty.
///
/// - Parameter transformErrors: Whether the bodies of errors are parsed too.
public func JSONResponseTransformer(_ transformErrors: Bool = true) -> any ResponseTransformer {
    ResponseContentTransformer<Data, any Sendable>(transformErrors: transformErrors) { entity in
        let content = try JSONContent.parse(entity.content)
        guard content is [String: any Sendable] || content is [any Sendable] else {
            throw RequestError.Cause.JSONResponseIsNotDictionaryOrArray(actualType: JSONContent.name(of: content))
        }
        return content
    }
}
