#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

public import PigeonHTTP

extension NetworkDispatcher: NetworkingProviderConvertible {
    /// Carries requests by the dispatcher: with its policy's retries, limits, redirects and tokens.
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
    ///   - policy: Retries, limits, redirects and tokens.
    public init(_ transport: any HTTPTransport, policy: HTTPPolicy = HTTPPolicy()) {
        let server = FixedServer(nil)
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy)
        siestaNetworkingProvider = dispatcher.siestaNetworkingProvider
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
