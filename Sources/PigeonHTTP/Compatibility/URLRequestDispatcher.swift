public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests to the addresses they have.
///
/// ```swift
/// let dispatcher = URLRequestDispatcher()
/// dispatcher.dataFuture(from: URLRequest(url: url, method: .get)).success { show($0) }.send()
/// ```
///
/// It has no server of its own: its policy's header fields, token and adapters apply to every server. For an app that
/// talks to one server, a ``NetworkDispatcher`` is the better choice. Futures retain their dispatcher until they end.
open class URLRequestDispatcher: NetworkDispatcher, @unchecked Sendable {  // `isClosed` is a lock
    private let isClosed = Locked(false)

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
        isClosed.withLock { $0 = true }
    }

    /// Cancels the requests in flight, and each request that is sent later.
    open func invalidateAndCancel() {
        finishTasksAndInvalidate()
        (transport as? URLSessionTransport)?.cancelAll()
    }

    /// Sends a request and returns the response, whatever its status.
    open override func response(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        if isClosed.withLock({ $0 }) { throw .cancelled }
        return try await super.response(from: request, report: report)
    }

    /// Sends a request and returns as soon as the head of the response has arrived. Releasing the body cancels the
    /// request.
    open override func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        if isClosed.withLock({ $0 }) { throw .cancelled }
        return try await super.stream(from: request, report: report)
    }
}

/// The provider for a dispatcher without a server, where each request has its whole address.
final class NoServer: ServerProvider {
    let baseURL: URL? = nil
}
