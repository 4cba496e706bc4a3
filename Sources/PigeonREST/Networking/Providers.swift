public import Foundation
internal import PigeonBase
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension NetworkDispatcher: NetworkingProviderConvertible {
    /// Carries requests by the dispatcher: with its policy's retries, limits, redirects and tokens.
    ///
    /// Tokens, header fields and request adapters of the policy go to the dispatcher's own server only, and not where a
    /// link in an answer may lead.
    public var siestaNetworkingProvider: any NetworkingProvider {
        AsyncProvider { request, report throws(HTTPError) in
            let answer = try await self.response(to: request, report: report)
            return (answer.httpResponse, answer.data)
        }
    }
}

extension MockDispatcher: NetworkingProviderConvertible {
    /// Answers requests as the dispatcher is told to.
    public var siestaNetworkingProvider: any NetworkingProvider {
        AsyncProvider { request, report throws(HTTPError) in
            let answer = try await self.response(to: request, report: report)
            return (answer.httpResponse, answer.data)
        }
    }
}

/// Carries requests by a transport of PigeonHTTP, with a policy.
///
/// What of a policy is meant for one server alone, such as tokens, goes to that server only.
///
/// ```swift
/// let provider = HTTPTransportProvider(URLSessionTransport(), policy: policy)
/// let service = Service(baseURL: "https://api.example.com", networking: provider)
/// ```
public struct HTTPTransportProvider: NetworkingProviderConvertible {
    /// What carries the requests.
    public let siestaNetworkingProvider: any NetworkingProvider

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - transport: Sends one request and brings its answer.
    ///   - policy: Timeouts, retries, limits, redirects and credentials.
    ///   - server: Whom the policy's tokens, header fields and request adapters are for. They go to nobody without one.
    public init(_ transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy(), server: URL? = nil) {
        let server = FixedServer(server)
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        siestaNetworkingProvider = AsyncProvider { request, report throws(HTTPError) in
            let answer = try await dispatcher.response(to: request, report: report)
            withExtendedLifetime(server) {}  // which the dispatcher does not keep
            return (answer.httpResponse, answer.data)
        }
    }
}

extension MockTransport: NetworkingProviderConvertible {
    /// Answers requests as the transport is told to.
    public var siestaNetworkingProvider: any NetworkingProvider {
        HTTPTransportProvider(self).siestaNetworkingProvider
    }
}

extension URLSessionConfiguration: NetworkingProviderConvertible {
    /// Carries requests by a session of its own, made with a copy of the configuration.
    public var siestaNetworkingProvider: any NetworkingProvider {
        HTTPTransportProvider(URLSessionTransport(configuration: self)).siestaNetworkingProvider
    }
}

extension URLSession: NetworkingProviderConvertible {
    /// Carries requests by this session, which stays its owner's.
    public var siestaNetworkingProvider: any NetworkingProvider { URLSessionProvider(session: self) }
}

/// Carries requests by something that is awaited.
package struct AsyncProvider: NetworkingProvider {
    private let send: @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer

    package typealias Answer = (head: HTTPURLResponse, body: Data?)

    package init(
        send: @escaping @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer
    ) {
        self.send = send
    }

    package func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let exchange = AsyncExchange()
        let task = launchImmediately { [send] in
            do throws(HTTPError) {
                let (head, body) = try await send(try exchange.prepare(request)) { exchange.note($0) }
                completion(head, body, nil)
            } catch {
                completion(nil, nil, error.underlying)
            }
        }
        exchange.task.withLock { $0 = task }
        return exchange
    }
}

/// A request under way.
private final class AsyncExchange: RequestNetworking {
    let task = Locked<Task<Void, Never>?>(nil)
    private let metrics = Locked(RequestTransferMetrics())

    var transferMetrics: RequestTransferMetrics { metrics.withLock { $0 } }

    func prepare(_ request: URLRequest) throws(HTTPError) -> TransportRequest {
        try TransportRequest(sending: request)
    }

    func note(_ progress: TransferProgress) {
        metrics.withLock {
            $0 = RequestTransferMetrics(
                requestBytesSent: progress.sent, requestBytesTotal: progress.expectedToSend,
                responseBytesReceived: progress.received, responseBytesTotal: progress.expectedToReceive)
        }
    }

    func cancel() {
        task.withLock { $0 }?.cancel()
    }
}
