internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An error that defines whether a retry may help.
///
/// Errors of an HTTP client conform to it, so that the default ``RetryPolicy`` and the event stream understand them.
public protocol TransientErrorType: Error {
    /// The HTTP status of the answer, if there was one.
    var statusCode: Int? { get }
    /// The time that the server asked to wait. The default is `nil`.
    var retryAfter: Duration? { get }
    /// True if a retry may help. The default is true for the statuses 408, 425, 429 and 5xx.
    var isTransient: Bool { get }
    /// True if the error reports a cancellation, as a `CancellationError` does. A cancellation is not reported as a
    /// failure. The default is `false`.
    var isCancellation: Bool { get }
    /// True if the program's own code failed while it took part in a request, so that the server has refused nothing. A
    /// durable mutation is then attempted again. The default is `false`.
    var isLocal: Bool { get }
}

extension TransientErrorType {
    /// The default is `nil`.
    public var statusCode: Int? { nil }
    /// The default is `nil`.
    public var retryAfter: Duration? { nil }
    /// The default is true if the status is 408, 425, 429 or 5xx.
    public var isTransient: Bool { statusCode.map(TransientError.isTransient(status:)) ?? false }
    /// The default is `false`.
    public var isCancellation: Bool { false }
    /// The default is `false`.
    public var isLocal: Bool { false }
}

/// An error whose description contains no secret, so that logs can show it completely.
package protocol PlainlyDescribedError: Error, CustomStringConvertible {
    /// A short text for logs. The default is the description.
    var label: String { get }
}

extension PlainlyDescribedError {
    package var label: String { description }
}

/// Decides which errors are worth a retry.
public enum TransientError {
    /// Returns true if a retry may help: for timeouts, lost connections, and the statuses 408, 425, 429 and 5xx.
    public static let isTransient: @Sendable (any Error) -> Bool = { error in
        if let known = error as? any TransientErrorType { return known.isTransient }
        if let error = error as? URLError { return transientCodes.contains(error.code) }
        return false
    }

    /// Returns true if a status indicates that a retry may help.
    package static func isTransient(status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status)
    }

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
        .badServerResponse: "bad answer", .cannotDecodeContentData: "the body cannot be decoded",
        .cannotDecodeRawData: "the body cannot be decoded", .badURL: "not a valid address", .cancelled: "cancelled",
        .secureConnectionFailed: "no secure connection",
        .serverCertificateHasBadDate: "the server's certificate has expired",
        .serverCertificateUntrusted: "the server's certificate is not trusted",
        .serverCertificateHasUnknownRoot: "the server's certificate is of an unknown authority",
        .serverCertificateNotYetValid: "the server's certificate is not valid yet",
        .clientCertificateRejected: "the client's certificate was rejected",
        .clientCertificateRequired: "the server wants a client's certificate",
    ]

    /// Returns the type of an error, and the name of its case if it is an enumeration. Never its content. `nil` for an
    /// error of Foundation, whose type says nothing.
    private static func caseName(_ error: any Error) -> String? {
        let type = String(describing: type(of: error))
        guard !type.hasPrefix("NS"), !type.hasPrefix("__NS") else { return nil }
        let mirror = Mirror(reflecting: error)
        guard mirror.displayStyle == .enum else { return type }
        if let label = mirror.children.first?.label { return "\(type).\(label)" }
        return mirror.children.isEmpty ? "\(type).\(error)" : type
    }

    /// Returns a short text for logs: a status, the name of a common network error, or the error's type and code. Never
    /// includes the error's content, which may be secret.
    package static func label(_ error: any Error) -> String {
        if let status = (error as? any TransientErrorType)?.statusCode { return String(status) }
        if let error = error as? URLError {
            let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
            if let cause = cause as? any PlainlyDescribedError { return cause.label }
            let name = names[error.code] ?? "URLError \(error.errorCode)"
            guard error.code == .badServerResponse || names[error.code] == nil else { return name }
            return cause.flatMap(caseName).map { "\(name): \($0)" } ?? name
        }
        if let error = error as? any PlainlyDescribedError { return error.label }
        if isCancellation(error) { return "cancelled" }
        if error is EncodingError {
            return "a value cannot be encoded, so it was neither sent nor stored (EncodingError)"
        }
        return String(describing: type(of: error))
    }
}
