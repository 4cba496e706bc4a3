internal import Foundation
internal import PigeonBase
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What users are told of errors that say nothing themselves.
enum UserMessage {
    /// What an error has for users, else what the platform says of it.
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as any LocalizedError: error.errorDescription ?? error.localizedDescription
        case let error as URLError: network[error.code] ?? error.localizedDescription
        case is CancellationError: "Request cancelled"
        case HTTPError.status(let answer): of(status: answer.statusCode.rawValue)
        case let error as HTTPError: error.underlying is HTTPError ? error.description : of(error.underlying)
        case let error as any PlainlyDescribedError: error.description
        default: error.localizedDescription
        }
    }

    /// The status in words, the first letter large. Without a status: that it failed.
    static func of(status: Int?) -> String {
        guard let status else { return "Request failed" }
        let text = HTTPURLResponse.localizedString(forStatusCode: status)
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    #if canImport(FoundationNetworking)
        /// Foundation outside of Apple's platforms has numbers alone.
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
