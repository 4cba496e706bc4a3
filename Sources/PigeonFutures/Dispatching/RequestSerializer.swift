public import Foundation
internal import PigeonBase
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends a `Request` to a provider's server, by a dispatcher of plain `URLRequest`s.
///
/// ```swift
/// let serializer = RequestSerializer(dispatcher: dispatcher, serverProvider: server)
/// serializer.dataFuture(from: .get("/posts")).success { response in show(response) }.send()
/// ```
///
/// Futures retain the serializer until they end.
public final class RequestSerializer: FutureDispatcher, @unchecked Sendable {  // `state` is a lock
    private struct State {
        var dispatcher: any DataDispatcher
        weak var serverProvider: (any ServerProvider)?
    }

    private let state: Locked<State>

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dispatcher: Sends the requests.
    ///   - serverProvider: Provides the base URL for each request. Not retained.
    public init(dispatcher: any DataDispatcher, serverProvider: any ServerProvider) {
        state = Locked(State(dispatcher: dispatcher, serverProvider: serverProvider))
    }

    /// The dispatcher that sends the requests.
    public var dispatcher: any DataDispatcher {
        get { state.withLock { $0.dispatcher } }
        set { state.update { $0.dispatcher = newValue } }
    }

    /// The provider of the base URL. Not retained.
    public var serverProvider: (any ServerProvider)? {
        get { state.withLock { $0.serverProvider } }
        set { state.withLock { $0.serverProvider = newValue } }
    }

    /// Returns a future that sends a request when it is started.
    public func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { future in
            guard let server = self.serverProvider else { throw RequestError.missingServerProvider }
            future.fulfill(with: self.dispatcher.dataFuture(from: try server.urlRequest(from: request)))
        }
    }

    /// Returns a future that sends a request when it is started.
    public func dataFuture(from request: any Request) -> ResponseFuture<Response<Data?>> {
        future(from: request)
    }

    /// Returns a future that sends a request when it is started. For requests such as `.get("/users/1")`.
    public func dataFuture(from request: some Request) -> ResponseFuture<Response<Data?>> {
        future(from: request as any Request)
    }

    /// Returns a future that creates its request when it is started. An error thrown by the closure is the future's
    /// error; `nil` cancels the future.
    public func dataFuture(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> (any Request)?
    ) -> ResponseFuture<Response<Data?>> {
        future(from: callback)
    }
}

extension Request {
    /// Returns the address of the request below a base URL, as `ServerProvider.url(from:)` does.
    public func url(withBaseURL baseURL: URL) throws(RequestError) -> URL {
        try FixedServer(baseURL).url(from: self)
    }

    /// Returns the request as a `URLRequest` below a base URL, as `ServerProvider.urlRequest(from:)` does.
    public func urlRequest(withBaseURL baseURL: URL) throws -> URLRequest {
        try FixedServer(baseURL).urlRequest(from: self)
    }
}
