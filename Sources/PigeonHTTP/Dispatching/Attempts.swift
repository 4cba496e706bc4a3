internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request with all its attempts.
struct Attempts<Body: Sendable>: Sendable {
    typealias Exchange = (TransportRequest, TransportResponse<Body>)

    let pipeline: Pipeline
    let send: Pipeline.Send<Body>
    /// Gives an answer that is not whole yet what it must hold until it is.
    let hold: @Sendable (inout TransportResponse<Body>, HostSemaphore.Permit) -> Void

    /// Sends, and sends again what may be sent twice, as the retry policy says.
    ///
    /// A wait that would end after the deadline is not begun: what there is by then is the outcome.
    func run(_ call: TransportRequest, until deadline: MonotonicInstant?) async throws(HTTPError) -> Exchange {
        let mayRepeat = call.method.isIdempotent || call.headers["Idempotency-Key"] != nil
        var failures = 0
        while true {
            let pause: Duration
            do {
                let outcome: Result<Exchange, HTTPError>
                do { outcome = .success(try await attempt(call)) } catch { outcome = .failure(error) }
                guard mayRepeat, let error = outcome.trouble(),
                    let wait = pipeline.policy.retry.wait(after: error, failures: failures, random: pipeline.random()),
                    deadline.map({ pipeline.clock.now().advanced(by: wait) < $0 }) ?? true
                else { return try outcome.get() }
                pause = wait
            }  // Here a refused answer that is not read gives its place at the host back.
            failures += 1
            do { try await pipeline.clock.sleep(for: pause) } catch { throw .cancelled }
        }
    }

    /// Sends with a token; one that is refused is renewed, and the request sent once more.
    private func attempt(_ call: TransportRequest) async throws(HTTPError) -> Exchange {
        let original = call
        var call = try await adapted(call)
        // What is meant for one server alone does not go where an adapter moved the request.
        let isMoved = call.url.origin != original.url.origin
        if isMoved { call.headers = withoutCredentials(call.headers, of: original) }
        guard let authorization = pipeline.policy.authorization, !authorization.isRefreshing, !isMoved,
            call.headers["Authorization"] == nil
        else { return try await sent(call) }
        let token = authorization.token
        do {
            let exchange = try await sent(call, with: token, authorization)
            guard exchange.1.status == 401 else { return exchange }
        }  // Here a refused answer that is not read gives its place at the host back.
        do {
            return try await sent(call, with: try await authorization.token(after: token), authorization)
        } catch {
            throw HTTPError(error)
        }
    }

    /// The fields without those of the policy that are meant for one server, and without the credentials that the request
    /// itself had. What an adapter wrote over them stays.
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
    ) async throws(HTTPError) -> Exchange {
        guard let token else { return try await sent(call) }
        var call = call
        call.headers["Authorization"] = authorization.header(token)
        do { try call.headers.checkForSending() } catch { throw .defect(error) }
        return try await sent(call)
    }

    /// Sends when it is the request's turn.
    private func sent(_ call: TransportRequest) async throws(HTTPError) -> Exchange {
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
            throw HTTPError(error)
        }
    }
}

extension Result {
    /// What a retry policy looks at: an error, or a status that says no.
    fileprivate func trouble<Body>() -> HTTPError?
    where Success == (TransportRequest, TransportResponse<Body>), Failure == HTTPError {
        switch self {
        case .failure(let error): return error
        case .success((let request, let answer)):
            let response = Response<Data?>(request, answer, data: nil)
            return response.error.map { .status(ErrorResponse(data: nil, response: response, error: $0)) }
        }
    }
}

extension HTTPChunks {
    /// The same pieces; something is kept until the last one is read, or they are let go.
    func holding(_ kept: any Sendable) -> HTTPChunks {
        reading(keeping: kept) { try await $0.next() }
    }

    /// The same pieces as far as they come until a deadline, after which reading is a timeout.
    ///
    /// Long pieces are cut: a server may be so fast that the reader gets to the next piece long after the deadline.
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
    /// Takes the first bytes out, as data of their own: a slice would retain all of them, and does not begin at 0.
    fileprivate mutating func takeFirst(_ count: Int) -> Data {
        defer { self = dropFirst(count) }
        return Data(prefix(count))
    }
}
