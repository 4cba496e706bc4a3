internal import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Parses JSON to a `[String: any Sendable]` or an `[any Sendable]`, which read as `[String: Any]` and `[Any]`.
///
/// The values are those that `JSONSerialization` makes: strings, `NSNull`, and `NSNumber`s, which cast to every Swift type
/// that holds their value. JSON that is neither an object nor an array is an error. An empty body stays empty.
///
/// - Parameter transformErrors: Whether the bodies of errors are parsed too.
public func JSONResponseTransformer(_ transformErrors: Bool = true) -> any ResponseTransformer {
    ResponseContentTransformer<Data, any Sendable>(transformErrors: transformErrors) { entity in
        let content = try JSONContent.parse(entity.content)
        guard content is [String: any Sendable] || content is [any Sendable] else {
            throw RequestError.Cause.JSONResponseIsNotDictionaryOrArray(
                actualType: type(of: content), name: JSONContent.name(of: content))
        }
        return content
    }
}
