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
        baseURL: URL, configuration: URLSessionConfiguration = .default, policy: HTTPPolicy = HTTPPolicy()
    ) {
        self.init(
            serverProvider: FixedServer(baseURL), isOwned: true, configuration: configuration,
            transport: URLSessionTransport(configuration: configuration), policy: policy)
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
        clock: any QueryClock = SystemClock(),
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        self.init(
            serverProvider: FixedServer(baseURL), isOwned: true, configuration: .default,
            transport: transport, policy: policy, clock: clock, random: random)
    }
}
