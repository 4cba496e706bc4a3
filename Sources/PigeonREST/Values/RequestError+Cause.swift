public import Foundation
internal import PigeonBase

extension RequestError {
    /// The causes that this library itself creates.
    public enum Cause {}
}

/// A cause. Its text is suitable for users and for logs, and contains no part of a body.
protocol RequestErrorCause: PlainlyDescribedError, LocalizedError {}

extension RequestErrorCause {
    /// The default is the description.
    public var errorDescription: String? { description }
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
    }

    /// The object cannot be encoded as JSON.
    public struct InvalidJSONObject: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// Describes the problem.
        public var description: String { "The request cannot be written as JSON." }
    }

    /// The text cannot be encoded as a part of a URL.
    public struct NotURLEncodable: Error, RequestErrorCause {
        /// The text.
        public let offendingString: String

        /// Creates the cause.
        public init(offendingString: String) {
            self.offendingString = offendingString
        }

        /// Describes the problem.
        public var description: String { "The request cannot be written as a form." }
    }
}

// MARK: On the way

extension RequestError.Cause {
    /// The request was cancelled.
    public struct RequestCancelled: Error, RequestErrorCause {
        /// The error of the network, if the request was sent.
        public let networkError: (any Error)?

        /// Creates the cause.
        public init(networkError: (any Error)? = nil) {
            self.networkError = networkError
        }

        /// Describes the event.
        public var description: String { "Request cancelled" }
    }

    /// The server answered "not modified", but there is no content that could be unmodified.
    public struct NoLocalDataFor304: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// Describes the problem.
        public var description: String { "The server says that nothing has changed, but there is no data yet." }
    }
}
