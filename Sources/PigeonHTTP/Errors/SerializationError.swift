/// Why an answer was not understood.
public enum SerializationError: Error, Sendable {
    /// The bytes are not what was asked for. The cause is an ``UnknownCharset`` if the answer names a character set that
    /// is not known here.
    case failedToDecodeResponseData(cause: (any Error)?)
    /// There are no bytes.
    case unexpectedEmptyResponse
}

extension SerializationError {
    /// The case's key in PiuPiu 1.3, to look up a text of the app's own. The library has none for users' eyes.
    public var errorKey: String {
        switch self {
        case .failedToDecodeResponseData: "InvalidObject"
        case .unexpectedEmptyResponse: "EmptyResponse"
        }
    }
}

extension SerializationError: PlainlyDescribedError {
    /// What was not understood, for logs. Names the place in the answer, never what stands there.
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

/// An answer names a character set that is not known here: the cause of a
/// ``SerializationError/failedToDecodeResponseData(cause:)``.
public struct UnknownCharset: Error, Sendable, Hashable {
    /// The name in the answer's `Content-Type`.
    public let name: String

    /// Creates an error.
    public init(name: String) {
        self.name = name
    }
}

extension UnknownCharset: PlainlyDescribedError {
    /// Which character set it is.
    public var description: String { "the answer's character set \"\(name.printable)\" is not known here" }
}

extension DecodingError {
    /// What is missing or wrong, and where. Debug descriptions may hold values, so they are left out.
    fileprivate var place: String {
        switch self {
        case .typeMismatch(let type, let context): "no \(type) at \(context.path)"
        case .valueNotFound(let type, let context): "null where \(type) should be, at \(context.path)"
        case .keyNotFound(let key, let context): "no \"\(key.stringValue.printable)\" at \(context.path)"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it cannot be read"
        case .dataCorrupted(let context): "a value that is none at \(context.path)"
        @unknown default: "it cannot be read"
        }
    }
}

extension DecodingError.Context {
    fileprivate var path: String {
        codingPath.isEmpty ? "the top" : codingPath.text
    }
}
