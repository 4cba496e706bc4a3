internal import Foundation
internal import PigeonBase
internal import PigeonCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Asks a server: sends one request, and takes the answer through the pipeline.
final class NetworkRequest: RequestDelegate {
    private struct State {
        var networking: (any RequestNetworking)?
        /// Takes the answer. `nil` once it is there, or not wanted any more.
        var handler: (any RequestCompletionHandler)?
        var isCancelled = false
        var progress: ProgressTracker?
        /// What was there when a load asked whether it has changed.
        var asked: Payload?
    }

    private let resource: Resource
    private let method: RequestMethod
    private let mutation: Resource.RequestMutation
    /// Whether the answer is to become the resource's content, so that the server is told what is there.
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

    // MARK: Asking

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let (request, asked) = conditional(request)
        let progress = ProgressTracker(
            isGet: request.httpMethod == "GET", startedAt: resource.client.environment.clock.now())
        state.withLock { state in
            state.handler = completionHandler
            state.progress = progress
            state.asked = asked
        }
        // A provider may keep the closure for longer than it needs it. Until there is an answer, the handler retains this.
        let networking = resource.service.provider.startRequest(request) { [weak self] head, body, error in
            self?.answered(head, body, error)
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
        _ = handler  // released outside of the lock
    }

    /// A load tells the server what is there, as it is now: what a cache had was not known when the request was made.
    ///
    /// Of what is shown with changes on top that the server has not confirmed, it cannot say whether it is right.
    ///
    /// - Returns: Also the content that the server is told of.
    private func conditional(_ request: URLRequest) -> (request: URLRequest, asked: Payload?) {
        guard isLoad, let picture = resource.picture, !picture.hasLayers, let payload = picture.payload,
            let entity = picture.entity
        else { return (request, nil) }
        var request = request
        let validators = FetchValidators(eTag: entity.etag, lastModified: entity.lastModified)
        for (field, value) in [("If-None-Match", validators.eTag), ("If-Modified-Since", validators.lastModified)] {
            guard let value, request.value(forHTTPHeaderField: field) == nil else { continue }
            request.setValue(value, forHTTPHeaderField: field)
        }
        return (request, payload)
    }

    // MARK: The answer

    private var now: TimeInterval { resource.client.environment.wallClock().timeIntervalSinceReferenceDate }

    /// Takes the first answer. After a cancellation there is nobody to take it for.
    private func answered(_ head: HTTPURLResponse?, _ body: Data?, _ error: (any Error)?) {
        let (handler, asked) = state.withLock { state in
            defer { state.handler = nil }
            return (state.handler, state.asked)
        }
        guard let handler else { return }
        if error == nil, head?.statusCode == 304 { return handler.broadcastResponse(notModified(head, asked)) }
        let raw = interpreted(head, body, error)
        launchImmediately { [self] in
            let outcome = await configuration.pipeline.process(raw)
            var info = ResponseInfo(response: outcome.response.failing(at: resource))
            info.source = resource.queryKey
            if isLoad, request.httpMethod == "GET" { info.cacheWrites = outcome.cacheWrites }
            if case .success(let entity) = outcome.response { info.freshFor = configuration.freshness(of: entity) }
            handler.broadcastResponse(info)
        }
    }

    private func interpreted(_ head: HTTPURLResponse?, _ body: Data?, _ error: (any Error)?) -> Response {
        // A redirect that was not followed has no content of what was asked for.
        let isRefusal = head.map { $0.statusCode >= 300 } ?? false
        guard error == nil, !isRefusal, let head else {
            let cause = error ?? (head == nil ? URLError(.badServerResponse) : nil)
            // A complete answer has a body, even if there are no bytes in it.
            let content = error == nil && head != nil ? body ?? Data() : body
            var failure = RequestError(response: head, content: content, cause: cause)
            failure.entity?.timestamp = now
            return .failure(failure)
        }
        var entity = Entity<any Sendable>(response: head, content: body ?? Data())
        entity.timestamp = now
        return .success(entity)
    }

    /// Nothing has changed since what the server was told of, whatever is there by now.
    private func notModified(_ head: HTTPURLResponse?, _ asked: Payload?) -> ResponseInfo {
        guard let payload = asked ?? resource.picture?.payload,
            var entity = (payload as? PayloadOf<Entity<any Sendable>>)?.value
        else {
            let cause = RequestError.Cause.NoLocalDataFor304()
            return ResponseInfo(
                response: Response.failure(RequestError(response: head, content: nil, cause: cause))
                    .failing(at: resource))
        }
        entity.timestamp = now
        var info = ResponseInfo(response: .success(entity), isNew: false)
        info.source = resource.queryKey
        info.validated = payload
        info.freshFor = configuration.freshness(of: Entity<Data>(response: head, content: Data()))
        return info
    }

    // MARK: Progress

    func computeProgress() -> Double {
        let now = resource.client.environment.clock.now()
        let metrics = state.withLock { $0.networking }?.transferMetrics ?? RequestTransferMetrics()
        return state.withLock { $0.progress?.update(metrics, at: now) } ?? 0
    }
}

extension Configuration {
    /// How long the server said that an answer is fresh. `nil` when it did not; a server that allows no age (`no-cache`,
    /// `max-age=0`) leaves it to the configuration: many say so of all they answer.
    fileprivate func freshness<Content>(of entity: Entity<Content>) -> Duration? {
        guard let seconds = entity.freshFor, seconds > 0 else { return nil }
        return Duration(untrustedSeconds: seconds)
    }
}

extension Response {
    /// The response with a failure that says what was asked, and when.
    fileprivate func failing(at resource: Resource) -> Response {
        mapError { resource.failing($0) }
    }
}
