public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Receives the result of a request: the head and body of the response, or the error if there is no response.
///
/// The provider calls it once, on any thread. After a cancellation, the call is optional.
public typealias RequestNetworkingCompletionCallback = @Sendable (HTTPURLResponse?, Data?, (any Error)?) -> Void

/// Sends the requests of a service to servers.
///
/// A service accepts `NetworkDispatcher`, `MockDispatcher`, `MockTransport`, `URLSession` and `URLSessionConfiguration`
/// directly. For any other `HTTPTransport` of PigeonHTTP, use ``HTTPTransportProvider``.
public protocol NetworkingProvider: NetworkingProviderConvertible {
    /// Starts a request.
    ///
    /// - Returns: The request in flight.
    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking
}

/// A request in flight.
public protocol RequestNetworking: Sendable {
    /// Cancels the request. The completion then receives a cancellation error, or is not called.
    func cancel()

    /// The progress of the transfer.
    var transferMetrics: RequestTransferMetrics { get }
}

/// The progress of a request's transfer, in bytes of its bodies.
public struct RequestTransferMetrics: Sendable, Hashable {
    /// The number of bytes sent.
    public var requestBytesSent: Int64
    /// The total number of bytes to send. `nil` if it is unknown.
    public var requestBytesTotal: Int64?
    /// The number of bytes received.
    public var responseBytesReceived: Int64
    /// The total number of bytes to receive. `nil` if it is unknown.
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

/// A value from which a ``Service`` obtains its networking provider.
public protocol NetworkingProviderConvertible: Sendable {
    /// The provider that sends the requests.
    var siestaNetworkingProvider: any NetworkingProvider { get }
}

extension NetworkingProvider {
    /// The provider itself.
    public var siestaNetworkingProvider: any NetworkingProvider { self }
}
