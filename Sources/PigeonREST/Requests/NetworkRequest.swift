internal import Foundation
internal import PigeonBase
internal import PigeonCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

final class NetworkRequest: RequestDelegate {
    private struct State {
        var networking: (any RequestNetworking)?
        /// Receives the response. `nil` once the response has arrived, or the request has been cancelled.
        var handler: (any RequestCompletionHandler)?
        var isCancelled = false
        var progress: ProgressTracker?
        /// The content whose validators were sent with a load. A 304 response confirms this content.
        var asked: Payload?
    }

    private let resource: Resource
    private let method: RequestMethod
    private let mutation: Resource.RequestMutation
    /// True if the response becomes the resource's content. The request then includes the validators of the current
    /// content.
    private let isLoad: Bool
    private let request: URLRequest
    let configuration: Configuration
    private let state = Locked(State())

    init(_ resource: Resource, _ method: RequestMethod, isLoad: Bool, _ mutation: @escaping Resource.RequestMutation) {
        self.resource = resource
        self.method = method
        self.isLoad = isLoad
        self.mutation = mutation
        (request, configuration) = resource.makeURLRequest(method, mutation)
    }

    var progressReportingInterval: TimeInterval { configuration.progressReportingInterval }

    var requestDescription: String { "\(request.httpMethod ?? method.rawValue) \(resource.url.nameForLogs)" }

    func repeated() -> any RequestDelegate {
        NetworkRequest(resource, method, isLoad: isLoad, mutation)
    }

    // MARK: Sending

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let (request, asked) = conditional(request)
        let progress = ProgressTracker(
            isGet: request.httpMethod == "GET", startedAt: resource.client.environment.clock.now())
        state.withLock { state in
            state.handler = completionHandler
            state.progress = progress
            state.asked = asked
        }
        // Weak, because a provider may retain the closure for longer than necessary. Until the response arrives, the
        // handler retains the request, and the request retains this delegate.
        let networking = resource.service.provider.start(request, isShared: isLoad) { [weak self] in
            await self?.answered($0)
        }
        let isCancelled = state.withLock { state in
            state.networking = networking
            return state.isCancelled
        }
        if isCancelled { networking.cancel() }
    }

    func cancelUnderlyingOperation() {
        let (networking, handler) = state.withLock { state in
            defer { state.handler = nil }
            state.isCancelled = true
            return (state.networking, state.handler)
        }
        networking?.cancel()
        _ = handler  // released outside the lock
    }

    /// Adds the validators of the current content to a load. They are read when the load is sent, because content from
    /// a cache may have arrived since the request was created.
    ///
    /// Adds none while unconfirmed changes are applied to the content, because the server cannot confirm content that
    /// it did not send.
    ///
    /// - Returns: The request, and the content that a 304 response confirms.
    private func conditional(_ request: URLRequest) -> (request: URLRequest, asked: Payload?) {
        guard isLoad, let entryState = resource.entryState, !entryState.hasLayers, let payload = entryState.payload,
            let entity = entryState.entity
        else { return (request, nil) }
        var request = request
        let validators = FetchValidators(eTag: entity.etag, lastModified: entity.lastModified)
        for (field, value) in [("If-None-Match", validators.eTag), ("If-Modified-Since", validators.lastModified)] {
            guard let value, request.value(forHTTPHeaderField: field) == nil else { continue }
            request.setValue(value, forHTTPHeaderField: field)
        }
        return (request, payload)
    }

    // MARK: The response

    private var now: TimeInterval { resource.client.environment.wallClock().timeIntervalSinceReferenceDate }

    /// Handles the provider's first response. Ignores later ones, and any that arrives after a cancellation.
    private func answered(_ reply: Reply) async {
        let (handler, asked) = state.withLock { state in
            defer { state.handler = nil }
            return (state.handler, state.asked)
        }
        guard let handler else { return }
        if reply.error == nil, reply.head?.status == 304 {
            return handler.broadcastResponse(notModified(reply.head, asked))
        }
        let outcome = await configuration.pipeline.process(interpreted(reply))
        var info = ResponseInfo(response: outcome.response.failing(at: resource))
        info.source = resource.queryKey
        if isLoad, request.httpMethod == "GET" { info.cacheWrites = outcome.cacheWrites }
        if case .success(let entity) = outcome.response { info.freshFor = entity.lifetime }
        handler.broadcastResponse(info)
    }

    private func interpreted(_ reply: Reply) -> Response {
        // A redirect that was not followed is a failure, because it does not have the requested content.
        let isRefusal = reply.head.map { $0.status >= 300 } ?? false
        guard reply.error == nil, !isRefusal, let head = reply.head else {
            let cause = reply.error ?? (reply.head == nil ? URLError(.badServerResponse) : nil)
            // A complete response has a body, which may be empty.
            let content = reply.error == nil && reply.head != nil ? reply.body ?? Data() : reply.body
            var failure = RequestError(head: reply.head, content: content, cause: cause)
            failure.isLocal = reply.isLocal
            failure.entity?.timestamp = now
            return .failure(failure)
        }
        return .success(Entity(head: head, content: reply.body ?? Data(), timestamp: now))
    }

    /// Returns the result of a 304 response. It confirms the content whose validators were sent, even if the resource
    /// has other content by now. Without such content, it confirms the current content. Without any content, it is a
    /// failure.
    private func notModified(_ head: Reply.Head?, _ asked: Payload?) -> ResponseInfo {
        guard let payload = asked ?? resource.entryState?.payload,
            var entity = (payload as? PayloadOf<Entity<any Sendable>>)?.value
        else {
            let cause = RequestError.Cause.NoLocalDataFor304()
            return ResponseInfo(
                response: Response.failure(RequestError(head: head, content: nil, cause: cause))
                    .failing(at: resource))
        }
        entity.timestamp = now
        var info = ResponseInfo(response: .success(entity), isNew: false)
        info.source = resource.queryKey
        info.validated = payload
        info.freshFor = Entity(head: head, content: Data()).lifetime
        return info
    }

    // MARK: Progress

    func computeProgress() -> Double {
        let now = resource.client.environment.clock.now()
        let metrics = state.withLock { $0.networking }?.transferMetrics ?? RequestTransferMetrics()
        return state.withLock { $0.progress?.update(metrics, at: now) } ?? 0
    }
}

extension Entity {
    /// The time for which the response is fresh, if the server specified one. `no-cache` and `max-age=0` count as
    /// unspecified, because many servers send them with every response. The time of the configuration then applies.
    var lifetime: Duration? {
        guard let freshFor, freshFor > 0 else { return nil }
        return Duration(untrustedSeconds: freshFor)
    }
}

extension Response {
    /// Adds the URL and the time to a failure.
    fileprivate func failing(at resource: Resource) -> Response {
        mapError { resource.failing($0) }
    }
}
