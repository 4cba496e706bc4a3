internal import Foundation
internal import PigeonBase
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The messages that describe errors to users.
///
/// The library's messages are looked up in the app's main bundle under Siesta's keys, so that the app can translate
/// them.
enum UserMessage {
    /// Returns the message of an error for users, or the platform's message if it has none.
    static func of(_ error: any Error) -> String {
        switch error {
        case is RequestError.Cause.InvalidURL:
            NSLocalizedString("Cannot send request with invalid URL", comment: "userMessage")
        case is RequestError.Cause.UnencodableText, is RequestError.Cause.InvalidJSONObject,
            is RequestError.Cause.NotURLEncodable:
            NSLocalizedString("Cannot send request", comment: "userMessage")
        case is RequestError.Cause.NoLocalDataFor304: NSLocalizedString("No data available", comment: "userMessage")
        case is RequestError.Cause.RequestCancelled, is CancellationError: cancelled
        case let error as any LocalizedError: error.errorDescription ?? error.localizedDescription
        case let error as URLError: network[error.code] ?? error.localizedDescription
        case HTTPError.status(let answer): of(status: answer.statusCode.rawValue)
        case let error as HTTPError: error.underlying is HTTPError ? error.description : of(error.underlying)
        case let error as any PlainlyDescribedError: error.description
        default: error.localizedDescription
        }
    }

    /// The message for a response that could not be converted to content.
    static var unparsable: String { NSLocalizedString("Cannot parse server response", comment: "userMessage") }

    private static var cancelled: String { NSLocalizedString("Request cancelled", comment: "userMessage") }

    /// Returns the capitalized name of a status. If it is `nil`, returns a message that the request failed.
    static func of(status: Int?) -> String {
        guard let status else { return NSLocalizedString("Request failed", comment: "userMessage") }
        let text = HTTPURLResponse.localizedString(forStatusCode: status)
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    #if canImport(FoundationNetworking)
        /// On platforms other than Apple's, Foundation's messages contain only error numbers.
        private static let network: [URLError.Code: String] = [
            .cancelled: "Request cancelled",
            .timedOut: "The request timed out.",
            .notConnectedToInternet: "The Internet connection appears to be offline.",
            .networkConnectionLost: "The network connection was lost.",
            .cannotConnectToHost: "Could not connect to the server.",
            .cannotFindHost: "A server with the specified hostname could not be found.",
            .dnsLookupFailed: "A server with the specified hostname could not be found.",
            .badServerResponse: "The server's response was not understood.",
            .badURL: "The address is not valid.",
            .unsupportedURL: "The address is of a kind that is not supported.",
            .secureConnectionFailed: "A secure connection to the server could not be made.",
        ]
    #else
        private static let network: [URLError.Code: String] = [:]
    #endif
}
