internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An error that knows whether trying again may help.
///
/// Errors of an HTTP client conform, so that the stock ``RetryPolicy`` and the event stream understand them.
public protocol TransientErrorType: Error {
    /// The HTTP status of the answer, if there was one.
    var statusCode: Int? { get }
    /// How long the server asked to wait.
    var retryAfter: Duration? { get }
    /// Whether trying again may help.
    var isTransient: Bool { get }
    /// Whether it says that the work was called off, as a `CancellationError` does. Nobody is told of such an end.
    var isCancellation: Bool { get }
}

extension TransientErrorType {
    /// None.
    public var statusCode: Int? { nil }
    /// Not said.
    public var retryAfter: Duration? { nil }
    /// Whether the status is 408, 425, 429 or 5xx.
    public var isTransient: Bool { statusCode.map(TransientError.isTransient(status:)) ?? false }
    /// No.
    public var isCancellation: Bool { false }
}

/// An error whose description holds no secret, so that logs may show it whole.
package protocol PlainlyDescribedError: Error, CustomStringConvertible {
    /// A few words for logs; by default the description.
    var label: String { get }
}

extension PlainlyDescribedError {
    package var label: String { description }
}

/// Decides which errors are worth a retry.
public enum TransientError {
    /// Whether trying again may help: timeouts, lost connections, and the statuses 408, 425, 429 and 5xx.
    public static let isTransient: @Sendable (any Error) -> Bool = { error in
        if let known = error as? any TransientErrorType { return known.isTransient }
        if let error = error as? URLError { return transientCodes.contains(error.code) }
        return false
    }

    /// Whether a status says that trying again may help.
    public static func isTransient(status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status)
    }

    /// Whether an error says that the work was called off.
    package static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? any TransientErrorType)?.isCancellation == true
    }

    private static let transientCodes: Set<URLError.Code> = [
        .timedOut, .networkConnectionLost, .notConnectedToInternet, .cannotConnectToHost, .cannotFindHost,
        .dnsLookupFailed, .resourceUnavailable, .badServerResponse,
    ]

    private static let names: [URLError.Code: String] = [
        .timedOut: "timed out", .networkConnectionLost: "connection lost", .notConnectedToInternet: "offline",
        .cannotConnectToHost: "no connection", .cannotFindHost: "host not found", .dnsLookupFailed: "host not found",
        .badServerResponse: "bad answer", .secureConnectionFailed: "no secure connection",
        .serverCertificateHasBadDate: "the server's certificate has expired",
        .serverCertificateUntrusted: "the server's certificate is not trusted",
        .serverCertificateHasUnknownRoot: "the server's certificate is of an unknown authority",
        .serverCertificateNotYetValid: "the server's certificate is not valid yet",
        .clientCertificateRejected: "the client's certificate was rejected",
        .clientCertificateRequired: "the server wants a client's certificate",
    ]

    /// A few words for logs: a status, a usual network error by name, or the error's type and code. Never its contents, which may hold secrets.
    package static func label(_ error: any Error) -> String {
        if let status = (error as? any TransientErrorType)?.statusCode { return String(status) }
        if let error = error as? URLError {
            if let cause = error.userInfo[NSUnderlyingErrorKey] as? any PlainlyDescribedError { return cause.label }
            return names[error.code] ?? "URLError \(error.errorCode)"
        }
        if let error = error as? any PlainlyDescribedError { return error.label }
        if isCancellation(error) { return "cancelled" }
        return String(describing: type(of: error))
    }
}
