/// Adds a token to requests, and renews it once when the server refuses it, however many requests were refused.
///
/// ```swift
/// policy.authorization = TokenAuthorization(token: saved) { refused in
///     try await session.renew(refused)
/// }
/// ```
///
/// A request that is refused with 401 waits for the new token and is sent once more. If there is no new token, the 401
/// remains the request's error, and the renewal's error is its cause (``ResponseError/cause``). A renewal that may succeed
/// later, such as one without a network, is no refusal: the request then fails with the renewal's error, and can be
/// retried. Tokens are sent to the server's own origin only, and appear in no error and no log.
public final class TokenAuthorization: Sendable {
    private struct State {
        var token: String?
        /// Increases whenever the token is set, at each sign-in and sign-out.
        var session = 0
        var refresh: Task<String, any Error>?
    }

    private let scheme: String
    private let state: Locked<State>
    private let refresh: @Sendable (_ refused: String?) async throws -> String

    /// Creates an authorization.
    ///
    /// - Parameters:
    ///   - token: The current token. Without one, requests are sent without a token, and a 401 is not followed by a
    ///     renewal: the program signs in, and sets ``token``.
    ///   - scheme: The word before the token in the `Authorization` header.
    ///   - refresh: Returns a new token. It is called once for all requests that were refused with the same token, and
    ///     runs to its end even if all of them are cancelled. It is never called without a refused token. If it throws,
    ///     the requests fail with the server's 401, or with an error that may pass, such as one of the network.
    public init(
        token: String? = nil, scheme: String = "Bearer",
        refresh: @escaping @Sendable (_ refused: String?) async throws -> String
    ) {
        self.scheme = scheme
        self.refresh = refresh
        state = Locked(State(token: token))
    }

    /// The current token. Set it after signing in, and to `nil` after signing out. The result of a refresh in flight is
    /// then discarded.
    public var token: String? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                state.token = newValue
                state.session += 1
                state.refresh = nil
            }
        }
    }

    var current: (token: String?, session: Int) { state.withLock { ($0.token, $0.session) } }

    /// True if a refused request may be sent once more: its token can be renewed or has been replaced, and the user has
    /// not signed out since.
    func mayRenew(_ refused: String?, in session: Int) -> Bool {
        state.withLock { $0.token != nil || refused != nil && $0.session == session }
    }

    /// True if the current task is the refresh, or a fetch that the refresh has started. Its requests are sent without a
    /// token, and do not wait for one.
    var isRefreshing: Bool { OngoingWork.current == ObjectIdentifier(self) }

    func header(_ token: String) -> String { "\(scheme) \(token)" }

    /// The error of a request that was sent without a token, and for which there is none.
    private struct NoToken: Error {}

    /// Returns a token other than the refused one. Starts a refresh of a refused token unless one is in flight.
    func token(after refused: String?) async throws -> String {
        let task = state.withLock { state -> Task<String, any Error> in
            if let token = state.token, token != refused { return Task { token } }
            if let running = state.refresh { return running }
            guard let refused else { return Task { throw NoToken() } }
            let task = Task { [session = state.session] in try await renew(refused, in: session) }
            state.refresh = task
            return task
        }
        return try await task.valueUnlessCancelled
    }

    private func renew(_ refused: String?, in session: Int) async throws -> String {
        let result: Result<String, any Error>
        do {
            // Others wait for the token too, so the retries of the fetch that began this do not count.
            result = .success(
                try await RetryLayers.$clientRetries.withValue(false) {
                    try await OngoingWork.$current.withValue(ObjectIdentifier(self)) { try await refresh(refused) }
                })
        } catch {
            result = .failure(error)
        }
        return try state.withLock { state in
            // The token was set in the meantime, by signing in or out. It stays.
            guard state.session == session else { return try state.token.map { $0 } ?? result.get() }
            state.refresh = nil
            let token = try result.get()
            state.token = token
            return token
        }
    }
}
