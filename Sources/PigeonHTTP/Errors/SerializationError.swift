public import Foundation

/// A response that could not be decoded.
public enum SerializationError: Error, Sendable {
    /// The bytes are not of the requested type. The cause is an ``UnknownCharset`` if the response names an unknown
    /// character set.
    case failedToDecodeResponseData(cause: (any Error)?)
    /// The response has no bytes.
    case unexpectedEmptyResponse
}

extension SerializationError {
    /// The case's key in PiuPiu 1.3, for texts of the app. An app that conforms the type to `LocalizedError` replaces the
    /// library's text for users, which is `userMessage`.
    public var errorKey: String {
        switch self {
        case .failedToDecodeResponseData: "InvalidObject"
        case .unexpectedEmptyResponse: "EmptyResponse"
        }
    }
}

extension SerializationError: PlainlyDescribedError {
    /// Describes the error for logs. Names the place in the response, and never the value there.
    public var description: String {
        switch self {
        case .failedToDecodeResponseData(let cause as DecodingError):
            "the answer's body is not what was asked for: \(cause.place)"
        case .failedToDecodeResponseData(let cause as UnknownCharset):
            cause.description
        case .failedToDecodeResponseData(let cause?):
            "the answer's body is not what was asked for (\(TransientError.label(cause)))"
        case .failedToDecodeResponseData(nil):
            "the answer's body is not what was asked for"
        case .unexpectedEmptyResponse:
            "the answer has no body; decodeIfPresent accepts that"
        }
    }
}

extension SerializationError: ReadableError {
    package var userText: UserText {
        switch self {
        case .failedToDecodeResponseData: .cannotParse
        case .unexpectedEmptyResponse: .noData
        }
    }
}

/// A response that names an unknown character set: the cause of a
/// ``SerializationError/failedToDecodeResponseData(cause:)``.
public struct UnknownCharset: Error, Sendable, Hashable {
    /// The name in the response's `Content-Type`.
    public let name: String
}

extension UnknownCharset: PlainlyDescribedError {
    /// Names the character set.
    public var description: String { "the answer's character set \"\(name.printable)\" is not known here" }
}

extension UnknownCharset: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .cannotParse }
}

extension DecodingError {
    /// The missing or wrong part, and its place. Debug descriptions can contain values, so they are left out.
    fileprivate var place: String {
        switch self {
        case .typeMismatch(let type, let context): "no \(type) at \(context.path)"
        case .valueNotFound(let type, let context): "null where \(type) should be, at \(context.path)"
        case .keyNotFound(let key, let context): "no \"\(key.stringValue.printable)\" at \(context.path)"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it cannot be read"
        case .dataCorrupted(let context): "an invalid value at \(context.path)"
        @unknown default: "it cannot be read"
        }
    }
}

extension DecodingError.Context {
    fileprivate var path: String {
        codingPath.isEmpty ? "the top" : codingPath.text
    }
}
