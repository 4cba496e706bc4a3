public import Foundation
internal import PigeonBase

extension RequestError {
    /// What goes wrong in this library itself.
    public enum Cause {}
}

/// One cause: its text is fit for users and for logs, and holds nothing of a body.
protocol RequestErrorCause: PlainlyDescribedError, LocalizedError {}

extension RequestErrorCause {
    /// The description.
    public var errorDescription: String? { description }
}

// MARK: Before the request is sent

extension RequestError.Cause {
    /// The address is none.
    public struct InvalidURL: Error, RequestErrorCause {
        /// What was to be an address; `nil` when there was nothing.
        public let urlSource: (any URLConvertible)?

        /// Creates the cause.
        public init(urlSource: (any URLConvertible)?) {
            self.urlSource = urlSource
        }

        /// What is wrong.
        public var description: String { "The address is not valid." }
    }

    /// The text cannot be written in the encoding that was asked for.
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

        /// What is wrong.
        public var description: String { "The text cannot be written as \(encoding)." }
    }

    /// The object cannot be written as JSON.
    public struct InvalidJSONObject: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// What is wrong.
        public var description: String { "The request cannot be written as JSON." }
    }

    /// The text cannot be a part of an address.
    public struct NotURLEncodable: Error, RequestErrorCause {
        /// The text.
        public let offendingString: String

        /// Creates the cause.
        public init(offendingString: String) {
            self.offendingString = offendingString
        }

        /// What is wrong.
        public var description: String { "The request cannot be written as a form." }
    }
}

// MARK: On the way

extension RequestError.Cause {
    /// The request was called off.
    public struct RequestCancelled: Error, RequestErrorCause {
        /// What the network said of it, if it was asked.
        public let networkError: (any Error)?

        /// Creates the cause.
        public init(networkError: (any Error)? = nil) {
            self.networkError = networkError
        }

        /// What happened.
        public var description: String { "Request cancelled" }
    }

    /// The server says that nothing changed, and there is nothing that could have.
    public struct NoLocalDataFor304: Error, RequestErrorCause {
        /// Creates the cause.
        public init() {}

        /// What is wrong.
        public var description: String { "The server says that nothing has changed, but there is no data yet." }
    }
}
