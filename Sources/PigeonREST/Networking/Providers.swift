public import Foundation
internal import PigeonBase
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension NetworkDispatcher: NetworkingProviderConvertible {
    /// A provider that sends requests through the dispatcher, with the retries, limits, redirects and tokens of its
    /// policy.
    ///
    /// The policy's tokens, header fields and request adapters apply only to the dispatcher's own server. A link in a
    /// response may lead to another server, which must not receive them.
    public var siestaNetworkingProvider: any NetworkingProvider {
        AsyncProvider { request, report throws(HTTPError) in
            try await self.response(to: request, report: report)
        }
    }
}

extension MockDispatcher: NetworkingProviderConvertible {
    /// A provider that returns the responses that are scripted in the dispatcher.
    public var siestaNetworkingProvider: any NetworkingProvider {
        AsyncProvider { request, report throws(HTTPError) in
            try await self.response(to: request, report: report)
        }
    }
}

/// Sends requests through a transport of PigeonHTTP, with a policy.
///
/// The parts of the policy that are intended for one server, such as tokens, apply only to that server.
///
/// ```swift
/// let provider = HTTPTransportProvider(URLSessionTransport(), policy: policy)
/// let service = Service(baseURL: "https://api.example.com", networking: provider)
/// ```
public struct HTTPTransportProvider: NetworkingProviderConvertible {
    /// The provider that sends the requests.
    public let siestaNetworkingProvider: any NetworkingProvider

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - transport: Sends one request and returns its response.
    ///   - policy: Timeouts, retries, limits, redirects and credentials.
    ///   - server: The server to which the policy's tokens, header fields and request adapters apply. If it is `nil`,
    ///     they apply to no request.
    public init(_ transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy(), server: URL? = nil) {
        let server = FixedServer(server)
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        siestaNetworkingProvider = AsyncProvider { request, report throws(HTTPError) in
            let answer = try await dispatcher.response(to: request, report: report)
            withExtendedLifetime(server) {}  // the dispatcher does not retain it
            return answer
        }
    }
}

extension MockTransport: NetworkingProviderConvertible {
    /// A provider that returns the responses that are scripted in the transport.
    public var siestaNetworkingProvider: any NetworkingProvider {
        HTTPTransportProvider(self).siestaNetworkingProvider
    }
}

extension URLSessionConfiguration: NetworkingProviderConvertible {
    /// A provider that sends requests through a new session, which it creates with a copy of the configuration.
    public var siestaNetworkingProvider: any NetworkingProvider {
        HTTPTransportProvider(URLSessionTransport(configuration: self)).siestaNetworkingProvider
    }
}

extension URLSession: NetworkingProviderConvertible {
    /// A provider that sends requests through this session. The provider never invalidates the session.
    public var siestaNetworkingProvider: any NetworkingProvider { URLSessionProvider(session: self) }
}

package struct AsyncProvider: NetworkingProvider {
    package typealias Answer = DispatcherResponse<Data?>

    private let send: @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer

    package init(
        send: @escaping @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer
    ) {
        self.send = send
    }

    package func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        start(request, isShared: false) { outcome in
            switch outcome {
            case .success(let answer): completion(answer.httpResponse, answer.data, nil)
            case .failure(.status(let answer)):
                completion(answer.httpResponse, answer.data, HTTPError.status(answer))
            case .failure(let error): completion(nil, nil, error.underlying)
            }
        }
    }

    /// Starts a request, and awaits `receive` in the task of the request. A task of its own would be one more to create
    /// and to switch to.
    func start(
        _ request: URLRequest, isShared: Bool,
        receive: @escaping @Sendable (Result<Answer, HTTPError>) async -> Void
    ) -> any RequestNetworking {
        let exchange = AsyncExchange()
        let launch = isShared ? launchDetached : launchImmediately(_:)
        let task = launch { [send] in
            let outcome: Result<Answer, HTTPError>
            do throws(HTTPError) {
                outcome = .success(try await send(try exchange.prepare(request)) { exchange.gauge.note($0) })
            } catch {
                outcome = .failure(error)
            }
            await receive(outcome)
        }
        exchange.task.withLock { $0 = task }
        return exchange
    }
}

private final class AsyncExchange: RequestNetworking {
    let task = Locked<Task<Void, Never>?>(nil)
    let gauge = TransferGauge()

    var transferMetrics: RequestTransferMetrics {
        let progress = gauge.progress
        return RequestTransferMetrics(
            requestBytesSent: progress.sent, requestBytesTotal: progress.expectedToSend,
            responseBytesReceived: progress.received, responseBytesTotal: progress.expectedToReceive)
    }

    func prepare(_ request: URLRequest) throws(HTTPError) -> TransportRequest {
        var prepared = try TransportRequest(sending: request)
        prepared.gauge = gauge
        return prepared
    }

    func cancel() {
        task.withLock { $0 }?.cancel()
    }
}
