/// Puts a token on requests, and gets a new one when the server refuses it: once, however many requests were refused.
///
/// ```swift
/// policy.authorization = TokenAuthorization(token: saved) { refused in
///     try await session.renew(refused)
/// }
/// ```
///
/// A request that is refused with 401 waits for the new token and is sent once more. Tokens go to the server's own origin
/// only, and appear in no error and no log.
public final class TokenAuthorization: Sendable {
    private struct State {
        var token: String?
        var refresh: Task<String, any Error>?
    }

    /// The authorization whose refresh the present task is: its own requests go without a token, and do not wait for it.
    @TaskLocal private static var refreshing: TokenAuthorization?

    private let scheme: String
    private let state: Locked<State>
    private let refresh: @Sendable (_ refused: String?) async throws -> String

    /// Creates an authorization.
    ///
    /// - Parameters:
    ///   - token: The token at hand. Without one, requests go without until the server refuses one.
    ///   - scheme: The word before the token in the `Authorization` header.
    ///   - refresh: Gets a new token. Called once for all that were refused with the same token, and finished even if
    ///     all of them are cancelled meanwhile. What it throws, the requests throw.
    public init(
        token: String? = nil, scheme: String = "Bearer",
        refresh: @escaping @Sendable (_ refused: String?) async throws -> String
    ) {
        self.scheme = scheme
        self.refresh = refresh
        state = Locked(State(token: token))
    }

    /// The token at hand. Set it after signing in; `nil` after signing out. A refresh under way is then forgotten.
    public var token: String? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                state.token = newValue
                state.refresh = nil
            }
        }
    }

    /// Whether the present task is the refresh.
    var isRefreshing: Bool { Self.refreshing === self }

    /// The value of the `Authorization` header for a token.
    func header(_ token: String) -> String { "\(scheme) \(token)" }

    /// Returns a token that is not the refused one, asking for it unless somebody has.
    func token(after refused: String?) async throws -> String {
        let task = state.withLock { state -> Task<String, any Error> in
            if let token = state.token, token != refused { return Task { token } }
            if let running = state.refresh { return running }
            let task = Task { try await renew(refused) }
            state.refresh = task
            return task
        }
        return try await task.valueUnlessCancelled
    }

    private func renew(_ refused: String?) async throws -> String {
        let result: Result<String, any Error>
        do { result = .success(try await Self.$refreshing.withValue(self) { try await refresh(refused) }) } catch {
            result = .failure(error)
        }
        return try state.withLock { state in
            // Signed in or out meanwhile: what that set stays.
            guard state.token == refused else { return try state.token.map { $0 } ?? result.get() }
            state.refresh = nil
            let token = try result.get()
            state.token = token
            return token
        }
    }
}
