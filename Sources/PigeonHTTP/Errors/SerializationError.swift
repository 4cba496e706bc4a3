/// Why an answer was not understood.
public enum SerializationError: Error, Sendable {
    /// The bytes are not what was asked for.
    case failedToDecodeResponseData(cause: (any Error)?)
    /// There are no bytes.
    case unexpectedEmptyResponse
    /// The answer names a character set that is not known here.
    case unknownCharset(String)
}
