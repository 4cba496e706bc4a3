public import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends requests to the addresses they have.
///
/// ```swift
/// let dispatcher = URLRequestDispatcher()
/// dispatcher.dataFuture(from: URLRequest(url: url, method: .get)).success { show($0) }.send()
/// ```
///
/// It has no server of its own: its policy's header fields, token and adapters apply to every server. For an app that
/// talks to one server, a ``FutureNetworkDispatcher`` is the better choice. Futures retain their dispatcher until they end.
open class URLRequestDispatcher: FutureNetworkDispatcher, @unchecked Sendable {  // it stores nothing of its own
    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the dispatcher's `URLSession`. It is copied.
    ///   - requestAdapter: Changes each request before it is sent.
    ///   - responseAdapter: Changes each whole response before it is returned.
    public init(
        configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        requestAdapter: (any URLRequestAdapter)? = nil, responseAdapter: (any URLResponseAdapter)? = nil
    ) {
        var policy = HTTPPolicy()
        policy.requestAdapters = requestAdapter.map { [$0] } ?? []
        policy.responseAdapters = responseAdapter.map { [$0] } ?? []
        let server = NoServer()
        super.init(serverProvider: server, configuration: configuration, policy: policy)
        own(server)
    }

    /// Cancels each request that is sent later, and lets the requests in flight end.
    open func finishTasksAndInvalidate() {
        close()
    }

    /// Cancels the requests in flight, and each request that is sent later.
    open func invalidateAndCancel() {
        finishTasksAndInvalidate()
        (transport as? URLSessionTransport)?.cancelAll()
    }
}
