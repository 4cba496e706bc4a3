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
        var receiver: AnswerReceiver?
        var progress: ProgressTracker
        var isCancelled = false
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
    private let state: Locked<State>

    init(_ resource: Resource, _ method: RequestMethod, isLoad: Bool, _ mutation: @escaping Resource.RequestMutation) {
        self.resource = resource
        self.method = method
        self.isLoad = isLoad
        self.mutation = mutation
        (request, configuration) = resource.makeURLRequest(method, mutation)
        let clock = resource.client.environment.clock
        state = Locked(State(progress: ProgressTracker(isGet: request.httpMethod == "GET", startedAt: clock.now())))
    }

    var progressReportingInterval: TimeInterval { configuration.progressReportingInterval }

    var requestDescription: String { "\(request.httpMethod ?? method.rawValue) \(resource.url.nameForLogs)" }

    func repeated() -> any RequestDelegate {
        NetworkRequest(resource, method, isLoad: isLoad, mutation)
    }

    // MARK: Asking

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let now = resource.client.environment.clock.now()
        let request = state.withLock { state in
            state.progress = ProgressTracker(isGet: self.request.httpMethod == "GET", startedAt: now)
            return self.request
        }
        let receiver = AnswerReceiver { [self] head, body, error in answered(head, body, error, completionHandler) }
        state.withLock { $0.receiver = receiver }
        let networking = resource.service.provider.startRequest(conditional(request)) { head, body, error in
            receiver.take()?(head, body, error)
        }
        let isCancelled = state.withLock { state in
            state.networking = networking
            return state.isCancelled
        }
        if isCancelled { networking.cancel() }
    }

    func cancelUnderlyingOperation() {
        let (networking, receiver) = state.withLock { state in
            state.isCancelled = true
            return (state.networking, state.receiver)
        }
        networking?.cancel()
        _ = receiver?.take()
    }

    /// A load tells the server what is there, as it is now: what a cache had was not known when the request was made.
    ///
    /// Of what is shown with changes on top that the server has not confirmed, it cannot say whether it is right.
    private func conditional(_ request: URLRequest) -> URLRequest {
        guard isLoad, let picture = resource.picture, !picture.hasLayers, let payload = picture.payload,
            let entity = picture.entity
        else { return request }
        var request = request
        let validators = FetchValidators(eTag: entity.etag, lastModified: entity.lastModified)
        for (field, value) in [("If-None-Match", validators.eTag), ("If-Modified-Since", validators.lastModified)] {
            guard let value, request.value(forHTTPHeaderField: field) == nil else { continue }
            request.setValue(value, forHTTPHeaderField: field)
        }
        state.withLock { $0.asked = payload }
        return request
    }

    // MARK: The answer

    private var now: TimeInterval { resource.client.environment.wallClock().timeIntervalSinceReferenceDate }

    private func answered(
        _ head: HTTPURLResponse?, _ body: Data?, _ error: (any Error)?, _ handler: any RequestCompletionHandler
    ) {
        if error == nil, head?.statusCode == 304 { return handler.broadcastResponse(notModified(head)) }
        let raw = interpreted(head, body, error)
        guard !handler.willIgnore(ResponseInfo(response: raw)) else { return }
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
    private func notModified(_ head: HTTPURLResponse?) -> ResponseInfo {
        let asked = state.withLock { $0.asked }
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
        return state.withLock { $0.progress.update(metrics, at: now) }
    }
}

/// Takes an answer once, and keeps nothing after: a provider may keep what it calls for longer.
private final class AnswerReceiver: Sendable {
    private let receive: Locked<RequestNetworkingCompletionCallback?>

    init(_ receive: @escaping RequestNetworkingCompletionCallback) {
        self.receive = Locked(receive)
    }

    func take() -> RequestNetworkingCompletionCallback? {
        receive.withLock { receive in
            defer { receive = nil }
            return receive
        }
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
