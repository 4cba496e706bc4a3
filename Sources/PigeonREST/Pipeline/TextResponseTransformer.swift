internal import Foundation
internal import PigeonHTTP

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes text of bytes, by the charset of the answer; by ISO-8859-1 if it names none (RFC 2616, 3.7.1).
///
/// An empty body is an empty text. Content that is not bytes, a text included, fails with
/// ``RequestError/Cause/WrongInputTypeInTranformerPipeline``.
///
/// - Parameter transformErrors: Whether the bodies of errors become text too.
public func TextResponseTransformer(_ transformErrors: Bool = true) -> any ResponseTransformer {
    ResponseContentTransformer<Data, String>(
        onEmptyBody: .transform, transformErrors: transformErrors
    ) { entity in
        guard !entity.content.isEmpty else { return "" }
        let name = entity.charset ?? "ISO-8859-1"
        guard let encoding = String.Encoding(charset: name) else {
            throw RequestError(RequestError.Cause.InvalidTextEncoding(encodingName: name))
        }
        guard let text = String(data: entity.content, encoding: encoding) else {
            throw RequestError(RequestError.Cause.UndecodableText(encoding: encoding))
        }
        return text
    }
}
