public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension NetworkDispatcher {
    /// Creates a dispatcher for the server at an address.
    ///
    /// - Parameters:
    ///   - baseURL: The http or https address that the paths of requests are added to.
    ///   - configuration: Of the dispatcher's `URLSession`. It is copied.
    ///   - policy: Timeouts, retries, limits and credentials.
    public convenience init(
        baseURL: URL, configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        policy: HTTPPolicy = HTTPPolicy()
    ) {
        let server = FixedServer(baseURL)
        self.init(serverProvider: server, configuration: configuration, policy: policy)
        own(server)
    }

    /// Creates a dispatcher for the server at an address, over a transport of one's own choice.
    ///
    /// - Parameters:
    ///   - baseURL: The http or https address that the paths of requests are added to.
    ///   - transport: Carries the requests.
    ///   - policy: Timeouts, retries, limits and credentials.
    ///   - clock: Measures the waits between attempts and the total timeout.
    ///   - random: Random bits for the jitter of those waits. Called from any thread.
    public convenience init(
        baseURL: URL, transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy(),
        clock: any QueryClock = SystemClock(), random: @escaping @Sendable () -> UInt64 = random
    ) {
        let server = FixedServer(baseURL)
        self.init(serverProvider: server, transport: transport, policy: policy, clock: clock, random: random)
        own(server)
    }
}
