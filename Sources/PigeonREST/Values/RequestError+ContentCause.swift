public import Foundation

// What is wrong with an answer's body.
extension RequestError.Cause {
    /// The charset of an answer is not known.
    public struct InvalidTextEncoding: Error, RequestErrorCause {
        /// Its name, as the server wrote it.
        public let encodingName: String

        /// Creates the cause.
        public init(encodingName: String) {
            self.encodingName = encodingName
        }

        /// What is wrong.
        public var description: String { "The server's text is in an encoding that is not known." }
    }

    /// The body is no text of its charset.
    public struct UndecodableText: Error, RequestErrorCause {
        /// The charset.
        public let encoding: String.Encoding

        /// Creates the cause.
        public init(encoding: String.Encoding) {
            self.encoding = encoding
        }

        /// What is wrong.
        public var description: String { "The server's text cannot be read as \(encoding)." }
    }

    /// The body is JSON, and neither an object nor an array.
    public struct JSONResponseIsNotDictionaryOrArray: Error, RequestErrorCause {
        /// The type of the content in Swift.
        public let actualType: Any.Type

        /// The name of its type in JSON.
        private let name: String

        /// Creates the cause.
        public init(actualType: Any.Type) {
            self.init(actualType: actualType, name: "\(actualType)")
        }

        init(actualType: Any.Type, name: String) {
            self.actualType = actualType
            self.name = name
        }

        /// What is wrong.
        public var description: String { "The server's JSON is a \(name), not an object or an array." }
    }

    /// The body is no picture.
    public struct UnparsableImage: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// What is wrong.
        public var description: String { "The server's image cannot be read." }
    }

    /// A transformer of the pipeline got content of another type than it takes.
    public struct WrongInputTypeInTranformerPipeline: Error, RequestErrorCause {
        /// What it takes.
        public let expectedType: Any.Type
        /// What it got.
        public let actualType: Any.Type
        /// The transformer.
        public let transformer: any ResponseTransformer

        /// Creates the cause.
        public init(expectedType: Any.Type, actualType: Any.Type, transformer: any ResponseTransformer) {
            self.expectedType = expectedType
            self.actualType = actualType
            self.transformer = transformer
        }

        /// What is wrong.
        public var description: String { "A \(expectedType) was expected, and there is a \(actualType)." }
    }

    /// A transformer of the pipeline made nothing of the content.
    public struct TransformerReturnedNil: Error, RequestErrorCause {
        /// The transformer.
        public let transformer: any ResponseTransformer

        /// Creates the cause.
        public init(transformer: any ResponseTransformer) {
            self.transformer = transformer
        }

        /// What is wrong.
        public var description: String { "The server's response was not understood." }
    }

    /// The content is of another type than was asked for.
    public struct WrongContentType: Error, RequestErrorCause {
        /// What was asked for.
        public let expected: Any.Type
        /// What there is.
        public let actual: Any.Type

        /// Creates the cause.
        public init(expected: Any.Type, actual: Any.Type) {
            self.expected = expected
            self.actual = actual
        }

        /// What is wrong.
        public var description: String { "A \(expected) was asked for, and there is a \(actual)." }
    }
}
