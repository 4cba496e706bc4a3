public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests to a server over a network.
///
/// ```swift
/// let dispatcher = NetworkDispatcher(baseURL: url)
/// let user: User = try await dispatcher.value(from: .get("/users/1"))
/// ```
///
/// A server whose address can change is a ``ServerProvider``, which the dispatcher does not retain: keep it for as long as
/// the dispatcher, or its requests fail with ``RequestError/missingServerProvider``. A dispatcher with a `baseURL` needs
/// none.
///
/// One dispatcher has one `URLSession`, which ends with it. It can be used from any thread. Requests in flight retain
/// it.
open class NetworkDispatcher: Dispatcher, @unchecked Sendable {  // `state` is a lock
    private let state: Locked<State>

    private struct State {
        weak var provider: (any ServerProvider)?
        /// The provider of a fixed address, which only the dispatcher retains.
        var owned: (any ServerProvider)?
        var configuration: URLSessionConfiguration
        var pipeline: Pipeline
        var isClosed = false
    }

    /// Creates a dispatcher for the server that a provider names.
    ///
    /// - Parameters:
    ///   - serverProvider: Provides the base URL for each request. Not retained: keep it.
    ///   - configuration: The configuration of the dispatcher's `URLSession`. It is copied.
    ///   - policy: Timeouts, retries, limits and credentials.
    public init(
        serverProvider: any ServerProvider,
        configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        policy: HTTPPolicy = HTTPPolicy()
    ) {
        state = Locked(
            State(
                provider: serverProvider, configuration: configuration,
                pipeline: Pipeline(
                    transport: URLSessionTransport(configuration: configuration), policy: policy,
                    clock: SystemClock(), random: Self.random)))
    }

    /// Creates a dispatcher over a transport of your choice.
    ///
    /// - Parameters:
    ///   - serverProvider: Provides the base URL for each request. Not retained: keep it.
    ///   - transport: Sends the requests.
    ///   - policy: Timeouts, retries, limits and credentials.
    ///   - clock: Measures the waits between attempts and the total timeout.
    ///   - random: Provides random bits for the jitter of those waits. Called from any thread.
    public init(
        serverProvider: any ServerProvider, transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy(),
        clock: any QueryClock = SystemClock(), random: @escaping @Sendable () -> UInt64 = random
    ) {
        state = Locked(
            State(
                provider: serverProvider, configuration: URLSessionTransport.defaultConfiguration,
                pipeline: Pipeline(transport: transport, policy: policy, clock: clock, random: random)))
    }

    /// The system's random bits.
    public static let random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }

    package var transport: any HTTPTransport { state.withLock { $0.pipeline.transport } }

    package func own(_ provider: any ServerProvider) {
        state.withLock { $0.owned = provider }
    }

    /// Cancels each request that is sent later.
    package func close() {
        state.withLock { $0.isClosed = true }
    }

    /// The provider of the server's address. Not retained.
    public var serverProvider: (any ServerProvider)? {
        get { state.withLock { $0.provider } }
        set {
            state.update { state in
                state.provider = newValue
                state.owned = nil
            }
        }
    }

    /// The configuration of the `URLSession`. Setting it creates a session for future requests. Requests in flight end
    /// on the old one.
    public var configuration: URLSessionConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            let transport = URLSessionTransport(configuration: newValue)
            state.update { state in
                state.configuration = newValue
                state.pipeline = state.pipeline.with(transport: transport)
            }
        }
    }

    /// Timeouts, retries, limits and credentials of future requests.
    public var policy: HTTPPolicy {
        get { state.withLock { $0.pipeline.policy } }
        set { state.update { $0.pipeline = $0.pipeline.with(policy: newValue) } }
    }

    /// Sends a request and returns the response, whatever its status.
    open func response(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        let (pipeline, call) = try prepared(request)
        return try await pipeline.response(to: call, report: report)
    }

    /// Sends a request that has its whole address, and returns the response, whatever its status.
    ///
    /// The policy's header fields, token and request adapters are for the dispatcher's server. A request to another
    /// server is sent without them.
    package func response(
        to request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> Response<Data?> {
        let (pipeline, provider) = try current()
        return try await pipeline.fit(for: request.url, of: provider).response(to: request, report: report)
    }

    /// Sends a request and returns as soon as the head of the response has arrived. Releasing the body cancels the
    /// request.
    open func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        let (pipeline, call) = try prepared(request)
        return try await pipeline.stream(call, report: report)
    }

    private func prepared(_ request: any Request) throws(HTTPError) -> (Pipeline, TransportRequest) {
        let (pipeline, provider) = try current()
        let call = try provider.transportRequest(from: request)
        return (request.address == nil ? pipeline : pipeline.fit(for: call.url, of: provider), call)
    }

    private func current() throws(HTTPError) -> (Pipeline, any ServerProvider) {
        let (pipeline, provider, isClosed) = state.withLock { ($0.pipeline, $0.provider, $0.isClosed) }
        guard !isClosed else { throw .cancelled }
        guard let provider else { throw .request(.missingServerProvider) }
        return (pipeline, provider)
    }
}

extension NetworkDispatcher {
    /// Creates a dispatcher for the server at an address.
    ///
    /// - Parameters:
    ///   - baseURL: The http or https address that the paths of requests are added to.
    ///   - configuration: The configuration of the dispatcher's `URLSession`. It is copied.
    ///   - policy: Timeouts, retries, limits and credentials.
    public convenience init(
        baseURL: URL, configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        policy: HTTPPolicy = HTTPPolicy()
    ) {
        let server = FixedServer(baseURL)
        self.init(serverProvider: server, configuration: configuration, policy: policy)
        own(server)
    }

    /// Creates a dispatcher for the server at an address, over a transport of your choice.
    ///
    /// - Parameters:
    ///   - baseURL: The http or https address that the paths of requests are added to.
    ///   - transport: Sends the requests.
    ///   - policy: Timeouts, retries, limits and credentials.
    ///   - clock: Measures the waits between attempts and the total timeout.
    ///   - random: Provides random bits for the jitter of those waits. Called from any thread.
    public convenience init(
        baseURL: URL, transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy(),
        clock: any QueryClock = SystemClock(), random: @escaping @Sendable () -> UInt64 = random
    ) {
        let server = FixedServer(baseURL)
        self.init(serverProvider: server, transport: transport, policy: policy, clock: clock, random: random)
        own(server)
    }
}
