/// The reason of a failure, by which a program decides what to do about it. All failures of a client have one: of fetches,
/// page loads, mutations and enqueued mutations.
///
/// ```swift
/// let failures = client.onFailure { error, event in
///     switch event.failureReason {
///     case .unauthorized: session.signOut()
///     case .noConnection, .unavailable: banner.show("Not up to date.")
///     default: banner.show(error.localizedDescription)
///     }
/// }
/// ```
public enum FailureReason: Sendable, Hashable {
    /// The server did not accept the credentials: the person has to sign in. The status 401, or what a durable mutation
    /// classifies so.
    case unauthorized
    /// There was no network, or no answer came.
    case noConnection
    /// The server cannot answer at the moment. The statuses 408, 425, 429 and 5xx.
    case unavailable
    /// The server has something newer. The statuses 409 and 412, or what a durable mutation classifies so.
    case conflict
    /// The server refuses the request for good. All other statuses, or what a durable mutation classifies so.
    case refused
    /// Something else, such as an answer that cannot be decoded, or an error of the program.
    case other

    /// Returns the reason of an error, from its status, or from its type if it has none. See ``TransientErrorType``.
    public init(_ error: any Error) {
        switch (error as? any TransientErrorType)?.statusCode {
        case 401: self = .unauthorized
        case 409, 412: self = .conflict
        case let status?: self = TransientError.isTransient(status: status) ? .unavailable : .refused
        case nil: self = TransientError.isTransient(error) ? .noConnection : .other
        }
    }
}
