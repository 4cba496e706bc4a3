internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Carries out all attempts of one request.
struct Attempts<Body: Sendable>: Sendable {
    typealias RoundTrip = (TransportRequest, TransportResponse<Body>)

    let pipeline: Pipeline
    let send: Pipeline.Send<Body>
    /// Makes an incomplete response retain the permit until it is complete.
    let hold: @Sendable (inout TransportResponse<Body>, HostSemaphore.Permit) -> Void

    /// Sends the request, and retries it by the retry policy if it can be sent twice and no client retries its fetch.
    ///
    /// Does not begin a wait that would end after the deadline. The result is then the last outcome.
    func run(_ call: TransportRequest, until deadline: MonotonicInstant?) async throws(HTTPError) -> RoundTrip {
        let isRepeatable = call.methodName.isIdempotentMethod || call.headers["Idempotency-Key"] != nil
        let mayRepeat = isRepeatable && !RetryLayers.clientRetries
        var failures = 0
        while true {
            let pause: Duration
            do {
                let outcome: Result<RoundTrip, HTTPError>
                do { outcome = .success(try await attempt(call)) } catch { outcome = .failure(error) }
                guard mayRepeat, let error = outcome.trouble(),
                    let wait = pipeline.policy.retry.wait(after: error, failures: failures, random: pipeline.random()),
                    deadline.map({ pipeline.clock.now().advanced(by: wait) < $0 }) ?? true
                else { return try outcome.get() }
                pause = wait
            }  // An unread response to be retried returns its permit here.
            failures += 1
            do { try await pipeline.clock.sleep(for: pause) } catch { throw .cancelled }
        }
    }

    /// Sends the request with a token. If the token is refused, renews it and sends the request once more.
    private func attempt(_ call: TransportRequest) async throws(HTTPError) -> RoundTrip {
        let original = call
        var call = try await adapted(call)
        // Data that is meant for one server is not sent with a request that an adapter moved to another server.
        let isMoved = call.url.origin != original.url.origin
        if isMoved { call.headers = withoutCredentials(call.headers, of: original) }
        guard let authorization = pipeline.policy.authorization, !authorization.isRefreshing, !isMoved,
            call.headers["Authorization"] == nil
        else { return try await sent(call) }
        let (token, session) = authorization.current
        let refusal: Response<Data?>
        do {
            let exchange = try await sent(call, with: token, authorization)
            // A server to which the request was redirected has not seen the token.
            let isOwn = exchange.0.url.origin == call.url.origin
            guard exchange.1.status == 401, isOwn, authorization.mayRenew(token, in: session) else { return exchange }
            refusal = Response(exchange.0, exchange.1, data: exchange.1.body as? Data)
        }  // An unread response that refused the token returns its permit here.
        let renewed: String
        do {
            renewed = try await authorization.token(after: token)
        } catch {
            throw refusal.error(afterRenewal: error)
        }
        return try await sent(call, with: renewed, authorization)
    }

    /// The fields without the policy's fields that are meant for one server, and without the request's own credentials.
    /// Fields that an adapter has overwritten stay.
    private func withoutCredentials(_ headers: HTTPHeaders, of original: TransportRequest) -> HTTPHeaders {
        let common = pipeline.policy.headers
        return HTTPHeaders(
            headers.filter { field in
                func isUnchanged(from old: HTTPHeaders) -> Bool {
                    old[field.name] != nil && old[field.name] == headers[field.name]
                }
                guard !Redirection.isHarmless(field.name) else { return true }
                let isOwnCredential = Redirection.isCredential(field.name) && isUnchanged(from: original.headers)
                return !isOwnCredential && !isUnchanged(from: common)
            })
    }

    private func sent(
        _ call: TransportRequest, with token: String?, _ authorization: TokenAuthorization
    ) async throws(HTTPError) -> RoundTrip {
        guard let token else { return try await sent(call) }
        var call = call
        call.headers["Authorization"] = authorization.header(token)
        try call.headers.checkForSending()
        return try await sent(call)
    }

    /// Sends the request once it has a permit for its host.
    private func sent(_ call: TransportRequest) async throws(HTTPError) -> RoundTrip {
        guard let semaphore = pipeline.semaphore else { return try await pipeline.followed(call, send) }
        let permit: HostSemaphore.Permit
        do { permit = try await semaphore.acquire(for: call.url) } catch { throw .cancelled }
        var exchange = try await pipeline.followed(call, send)
        hold(&exchange.1, permit)
        return exchange
    }

    private func adapted(_ call: TransportRequest) async throws(HTTPError) -> TransportRequest {
        guard !pipeline.policy.requestAdapters.isEmpty else { return call }
        do {
            var request = URLRequest(call)
            for adapter in pipeline.policy.requestAdapters { request = try await adapter.adapt(request) }
            return try TransportRequest(request, adaptedFrom: call)
        } catch {
            throw HTTPError(ofAdapter: error)
        }
    }
}

extension HTTPError {
    /// Creates the error of an adapter. An answer that the adapter itself received is not one to the request.
    fileprivate init(ofAdapter error: any Error) {
        let failure = HTTPError(error)
        self =
            switch failure {
            case .status, .decoding, .bodyTooLarge, .redirection: .other(failure)
            case .request, .defect, .transport, .other, .cancelled: failure
            }
    }
}

extension Response<Data?> {
    /// The error of a request that the server refused and whose token could not be renewed. It is the server's refusal,
    /// unless the renewal may succeed later.
    fileprivate func error(afterRenewal error: any Error) -> HTTPError {
        let failure = HTTPError(error)
        guard !failure.isCancellation, !failure.isTransient else { return failure }
        return .status(ErrorResponse(data: data, response: self, error: .unauthorized(cause: failure.underlying)))
    }
}

extension Result {
    /// The error for the retry policy: the error of the attempt, or the error that its status represents.
    fileprivate func trouble<Body>() -> HTTPError?
    where Success == (TransportRequest, TransportResponse<Body>), Failure == HTTPError {
        switch self {
        case .failure(let error): return error
        case .success((let request, let answer)):
            return Response<Data?>(request, answer, data: nil).httpError
        }
    }
}

extension HTTPChunks {
    /// Returns the same pieces, which retain a value until the last piece is read or the pieces are released.
    func holding(_ kept: any Sendable) -> HTTPChunks {
        reading(keeping: kept) { try await $0.next() }
    }

    /// Returns the same pieces up to a deadline. After it, reading fails with a timeout.
    ///
    /// Long pieces are split. Otherwise, a fast server could fill a piece so far that its reader reaches the next one
    /// long after the deadline.
    func ending(at deadline: MonotonicInstant, clock: any QueryClock) -> HTTPChunks {
        let rest = Locked(Data())
        return reading { pieces in
            if let next = rest.withLock({ $0.isEmpty ? nil : $0.takeFirst(Self.longestPiece) }) {
                guard clock.now() < deadline else { throw HTTPError.transport(URLError(.timedOut)) }
                return next
            }
            let piece = try await clock.withDeadline(deadline) { () throws(HTTPError) in try await pieces.next() }
            guard let piece, piece.count > Self.longestPiece else { return piece }
            return rest.withLock { rest in
                rest = piece
                return rest.takeFirst(Self.longestPiece)
            }
        }
    }

    private static var longestPiece: Int { 1 << 16 }

    private func reading(
        keeping kept: any Sendable = (), _ read: @escaping @Sendable (HTTPChunks) async throws -> Data?
    ) -> HTTPChunks {
        let source = Locked<(HTTPChunks, any Sendable)?>((self, kept))
        return HTTPChunks {
            // One reader at a time, as for any stream.
            guard let (pieces, _) = source.withLock({ $0 }) else { return nil }
            do {
                let piece = try await read(pieces)
                if piece == nil { source.withLock { $0 = nil } }
                return piece
            } catch {
                source.withLock { $0 = nil }
                throw error
            }
        }
    }
}

extension Data {
    /// Removes and returns the first bytes as data of their own. A slice would retain all of them, and would not begin
    /// at 0.
    fileprivate mutating func takeFirst(_ count: Int) -> Data {
        defer { self = dropFirst(count) }
        return Data(prefix(count))
    }
}
