public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Told how a request ended: the head and body of the answer, or why there is none. Called once, on any thread.
public typealias RequestNetworkingCompletionCallback = @Sendable (HTTPURLResponse?, Data?, (any Error)?) -> Void

/// Carries a service's requests to servers.
///
/// `NetworkDispatcher`, `MockDispatcher` and every `HTTPTransport` of PigeonHTTP are ready ones, and so is `URLSession`.
public protocol NetworkingProvider: NetworkingProviderConvertible {
    /// Begins to send a request.
    ///
    /// - Returns: The request under way.
    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking
}

/// A request under way.
public protocol RequestNetworking: Sendable {
    /// Ends it. The completion is then told of a cancellation, or not called.
    func cancel()

    /// How far it has come.
    var transferMetrics: RequestTransferMetrics { get }
}

/// How far a request has come, in bytes of body.
public struct RequestTransferMetrics: Sendable, Hashable {
    /// Bytes sent.
    public var requestBytesSent: Int64
    /// Bytes to send, where known.
    public var requestBytesTotal: Int64?
    /// Bytes received.
    public var responseBytesReceived: Int64
    /// Bytes to receive, where the server said so.
    public var responseBytesTotal: Int64?

    /// Creates metrics.
    public init(
        requestBytesSent: Int64 = 0, requestBytesTotal: Int64? = nil, responseBytesReceived: Int64 = 0,
        responseBytesTotal: Int64? = nil
    ) {
        self.requestBytesSent = requestBytesSent
        self.requestBytesTotal = requestBytesTotal
        self.responseBytesReceived = responseBytesReceived
        self.responseBytesTotal = responseBytesTotal
    }
}

/// What a ``Service`` can be given to reach servers with.
public protocol NetworkingProviderConvertible: Sendable {
    /// What carries the requests.
    var siestaNetworkingProvider: any NetworkingProvider { get }
}

extension NetworkingProvider {
    /// Itself.
    public var siestaNetworkingProvider: any NetworkingProvider { self }
}
