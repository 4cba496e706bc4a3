public import Foundation
package import PigeonBase

extension RequestError {
    /// The causes that this library itself creates.
    public enum Cause {}
}

/// A cause. Its description contains no part of a body. By default, its text for users reports a response that could not
/// be read.
protocol RequestErrorCause: PlainlyDescribedError, LocalizedReadableError {}

extension RequestErrorCause {
    package var userText: UserText { .cannotParse }
}

// MARK: Before the request is sent

extension RequestError.Cause {
    /// The URL is not valid.
    public struct InvalidURL: Error, RequestErrorCause {
        /// The value that is not a valid URL. `nil` if there was none.
        public let urlSource: (any URLConvertible)?

        /// Creates the cause.
        public init(urlSource: (any URLConvertible)?) {
            self.urlSource = urlSource
        }

        /// Describes the problem.
        public var description: String { "The address is not valid." }

        package var userText: UserText { .invalidURL }
    }

    /// The text cannot be encoded in the requested encoding.
    public struct UnencodableText: Error, RequestErrorCause {
        /// The encoding.
        public let encoding: String.Encoding
        /// The text.
        public let text: String

        /// Creates the cause.
        public init(encoding: String.Encoding, text: String) {
            self.encoding = encoding
            self.text = text
        }

        /// Describes the problem.
        public var description: String { "The text cannot be written as \(encoding)." }

        package var userText: UserText { .cannotSend }
    }

    /// The object cannot be encoded as JSON.
    public struct InvalidJSONObject: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// Describes the problem.
        public var description: String { "The request cannot be written as JSON." }

        package var userText: UserText { .cannotSend }
    }

    /// The text cannot be encoded as a part of a URL. The library can encode any text, and does not create this cause.
    public struct NotURLEncodable: Error, RequestErrorCause {
        /// The text.
        public let offendingString: String

        /// Creates the cause.
        public init(offendingString: String) {
            self.offendingString = offendingString
        }

        /// Describes the problem.
        public var description: String { "The request cannot be written as a form." }

        package var userText: UserText { .cannotSend }
    }
}

// MARK: While the request is in flight

extension RequestError.Cause {
    /// The request was cancelled.
    public struct RequestCancelled: Error, RequestErrorCause {
        /// The network error, if the request was sent.
        public let networkError: (any Error)?

        /// Creates the cause.
        public init(networkError: (any Error)? = nil) {
            self.networkError = networkError
        }

        /// Describes the event.
        public var description: String { "Request cancelled" }

        package var userText: UserText { .cancelled }
    }

    /// The server responded with "not modified", but there is no content that this response could confirm.
    public struct NoLocalDataFor304: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// Describes the problem.
        public var description: String { "The server says that nothing has changed, but there is no data yet." }

        package var userText: UserText { .noData }
    }
}

// Causes that concern the body of a response.
extension RequestError.Cause {
    /// The charset of the response is not supported.
    public struct InvalidTextEncoding: Error, RequestErrorCause {
        /// The name of the charset, as the server wrote it.
        public let encodingName: String

        /// Creates the cause.
        public init(encodingName: String) {
            self.encodingName = encodingName
        }

        /// Describes the problem.
        public var description: String { "The server's text is in an encoding that is not known." }
    }

    /// The body cannot be decoded with its charset.
    public struct UndecodableText: Error, RequestErrorCause {
        /// The charset.
        public let encoding: String.Encoding

        /// Creates the cause.
        public init(encoding: String.Encoding) {
            self.encoding = encoding
        }

        /// Describes the problem.
        public var description: String { "The server's text cannot be read as \(encoding)." }
    }

    /// The body is JSON, but neither an object nor an array.
    public struct JSONResponseIsNotDictionaryOrArray: Error, RequestErrorCause {
        /// The Swift type of the content.
        public let actualType: Any.Type

        private let name: String

        /// Creates the cause.
        public init(actualType: Any.Type) {
            self.init(actualType: actualType, name: "\(actualType)")
        }

        init(actualType: Any.Type, name: String) {
            self.actualType = actualType
            self.name = name
        }

        /// Describes the problem.
        public var description: String { "The server's JSON is a \(name), not an object or an array." }
    }

    /// The body is not an image.
    public struct UnparsableImage: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// Describes the problem.
        public var description: String { "The server's image cannot be read." }
    }

    /// A transformer of the pipeline received content that does not have the transformer's input type.
    public struct WrongInputTypeInTranformerPipeline: Error, RequestErrorCause {
        /// The input type of the transformer.
        public let expectedType: Any.Type
        /// The type of the content.
        public let actualType: Any.Type
        /// The transformer.
        public let transformer: any ResponseTransformer

        /// Creates the cause.
        public init(expectedType: Any.Type, actualType: Any.Type, transformer: any ResponseTransformer) {
            self.expectedType = expectedType
            self.actualType = actualType
            self.transformer = transformer
        }

        /// Describes the problem.
        public var description: String { "A \(expectedType) was expected, and there is a \(actualType)." }
    }

    /// A transformer of the pipeline returned `nil`.
    public struct TransformerReturnedNil: Error, RequestErrorCause {
        /// The transformer.
        public let transformer: any ResponseTransformer

        /// Creates the cause.
        public init(transformer: any ResponseTransformer) {
            self.transformer = transformer
        }

        /// Describes the problem.
        public var description: String { "The server's response was not understood." }
    }

    /// The content does not have the requested type.
    public struct WrongContentType: Error, RequestErrorCause {
        /// The requested type.
        public let expected: Any.Type
        /// The actual type.
        public let actual: Any.Type

        /// Creates the cause.
        public init(expected: Any.Type, actual: Any.Type) {
            self.expected = expected
            self.actual = actual
        }

        /// Describes the problem.
        public var description: String { "A \(expected) was asked for, and there is a \(actual)." }
    }
}
