internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The steps between a request and its response. Each step is taken only if the policy requires it.
final class Pipeline: Sendable {
    let transport: any HTTPTransport
    let policy: HTTPPolicy
    let clock: any QueryClock
    let random: @Sendable () -> UInt64
    let semaphore: HostSemaphore?
    /// True if the request needs one attempt and nothing else, apart from redirects.
    private let isPlain: Bool
    /// True if the policy has parts that are meant for the dispatcher's server alone.
    private let isForOneServer: Bool

    init(
        transport: any HTTPTransport, policy: HTTPPolicy, clock: any QueryClock,
        random: @escaping @Sendable () -> UInt64, semaphore: HostSemaphore? = nil
    ) {
        self.transport = transport
        self.policy = policy
        self.clock = clock
        self.random = random
        self.semaphore = semaphore ?? policy.requestsPerHost.map(HostSemaphore.init)
        isPlain =
            policy.retry.limit == 0 && policy.authorization == nil && policy.requestAdapters.isEmpty
            && policy.totalTimeout == nil && self.semaphore == nil
        isForOneServer =
            policy.authorization != nil || !policy.requestAdapters.isEmpty || policy.errorMessage != nil
            || policy.headers.contains { !Redirection.isHarmless($0.name) }
    }

    func with(transport: (any HTTPTransport)? = nil, policy: HTTPPolicy? = nil) -> Pipeline {
        Pipeline(
            transport: transport ?? self.transport, policy: policy ?? self.policy, clock: clock, random: random)
    }

    /// Returns a pipeline without credentials if the URL is on another origin. Returns this pipeline if the provider
    /// has no server, or if the policy has nothing that is meant for one server.
    func fit(for url: URL, of provider: any ServerProvider) -> Pipeline {
        guard isForOneServer, !(provider is NoServer) else { return self }
        return provider.baseURL?.origin == url.origin ? self : withoutCredentials()
    }

    /// Returns the same steps and permits, without anything that is meant for one server.
    private func withoutCredentials() -> Pipeline {
        var policy = policy
        policy.headers.removeAll { !Redirection.isHarmless($0) }
        policy.authorization = nil
        policy.requestAdapters = []
        policy.errorMessage = nil
        return Pipeline(transport: transport, policy: policy, clock: clock, random: random, semaphore: semaphore)
    }

    func response(to call: TransportRequest, report: TransferReport?) async throws(HTTPError) -> Response<Data?> {
        let (transport, limit) = (transport, policy.bodyLimit)
        // A function, since a closure would leave the caller's actor.
        @Sendable func send(_ call: TransportRequest) async throws(HTTPError) -> TransportResponse<Data> {
            try await transport.send(call, limit: limit, report: report)
        }
        let (sent, answer) = try await exchange(try prepared(call), until: deadline, send: send) { _, _ in }
        var response = Response<Data?>(sent, answer, data: answer.body)
        do {
            for adapter in policy.responseAdapters { response = try await adapter.adapt(response) }
        } catch {
            throw HTTPError(error)
        }
        response.messageReader = messageReader(of: sent, for: call)
        return response
    }

    /// Returns as soon as the head of the response has arrived.
    func stream(_ call: TransportRequest, report: TransferReport?) async throws(HTTPError) -> Response<HTTPChunks> {
        let (transport, deadline) = (transport, deadline)
        @Sendable func send(_ call: TransportRequest) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
            try await transport.stream(call, report: report)
        }
        let (sent, answer) = try await exchange(try prepared(call), until: deadline, send: send) { answer, permit in
            // The permit is held until the last piece is read, or the pieces are released.
            answer.body = answer.body.holding(permit)
        }
        let body = deadline.map { answer.body.ending(at: $0, clock: clock) } ?? answer.body
        var response = Response(sent, answer, data: body)
        response.messageReader = messageReader(of: sent, for: call)
        return response
    }

    /// Reads the message for users from a response, unless a redirect led to another server.
    private func messageReader(of sent: TransportRequest, for call: TransportRequest) -> HTTPPolicy.MessageReader? {
        guard let reader = policy.errorMessage, sent.url.origin == call.url.origin else { return nil }
        return reader
    }

    /// The time by which a request that begins now must have ended.
    private var deadline: MonotonicInstant? { policy.totalTimeout.map { clock.now().advanced(by: $0) } }

    private func exchange<Body>(
        _ call: TransportRequest, until deadline: MonotonicInstant?, send: @escaping Send<Body>,
        hold: @escaping @Sendable (inout TransportResponse<Body>, HostSemaphore.Permit) -> Void
    ) async throws(HTTPError) -> (TransportRequest, TransportResponse<Body>) {
        guard !isPlain else { return try await followed(call, send) }
        let attempts = Attempts(pipeline: self, send: send, hold: hold)
        guard let deadline else { return try await attempts.run(call, until: nil) }
        return try await clock.withDeadline(deadline) { () throws(HTTPError) in
            try await attempts.run(call, until: deadline)
        }
    }

    private func prepared(_ call: TransportRequest) throws(HTTPError) -> TransportRequest {
        var call = call
        call.timeout = call.timeout ?? policy.timeout
        guard !policy.headers.isEmpty else { return call }
        try policy.headers.checkForSending()
        for field in policy.headers where call.headers[field.name] == nil {
            call.headers.add(field.value, for: field.name)
        }
        return call
    }

    /// Follows redirects.
    func followed<Body>(
        _ call: TransportRequest, _ send: Send<Body>
    ) async throws(HTTPError) -> (TransportRequest, TransportResponse<Body>) {
        var call = call
        var left = policy.redirects.limit
        while true {
            let answer = try await send(call)
            guard answer.status >= 300, answer.status < 400, policy.redirects != .never,
                let next = try Redirection.request(after: call, status: answer.status, headers: answer.headers)
            else { return (call, answer) }
            guard left > 0 else {
                throw .redirection("the server redirected more than \(policy.redirects.limit) times")
            }
            left -= 1
            call = next
        }
    }

    typealias Send<Body: Sendable> =
        nonisolated(nonsending) @Sendable (TransportRequest) async throws(HTTPError) -> TransportResponse<Body>
}

extension RedirectPolicy {
    fileprivate var limit: Int {
        switch self {
        case .never: 0
        case .follow(let limit): limit
        }
    }
}

extension QueryClock {
    /// Cancels the operation at a deadline. The operation then fails with a timeout.
    func withDeadline<Value: Sendable>(
        _ deadline: MonotonicInstant, _ work: @escaping @Sendable () async throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        guard now() < deadline else { throw .transport(URLError(.timedOut)) }
        let isOver = Locked(false)
        let task = launchImmediately(returning: { () -> Result<Value, HTTPError> in
            do throws(HTTPError) { return .success(try await work()) } catch { return .failure(error) }
        })
        let alarm = schedule(at: deadline) {
            isOver.withLock { $0 = true }
            task.cancel()
        }
        let result = await withCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        alarm.cancel()
        if case .failure(.cancelled) = result, isOver.withLock({ $0 }) { throw .transport(URLError(.timedOut)) }
        return try result.get()
    }
}

extension Response {
    init<Body>(_ request: TransportRequest, _ answer: TransportResponse<Body>, data: T) {
        let status = StatusCode(rawValue: answer.status)
        self.init(
            data: data, head: .transported(request, status: answer.status, headers: answer.headers),
            statusCode: status, error: status.makeError(cause: nil))
    }
}
