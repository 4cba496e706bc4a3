public import Foundation
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A network dispatcher that can send requests as futures: `NetworkDispatcher` in files that import `PigeonFutures` alone.
///
/// It is a dispatcher of PigeonHTTP, with the same initializers, whose futures a subclass can override.
open class FutureNetworkDispatcher: PigeonHTTP.NetworkDispatcher, FutureDispatcher, DataDispatcher, UploadDispatcher,
    DownloadDispatcher, @unchecked Sendable  // it stores nothing of its own
{
    /// Returns a future that sends the request when it is started. It retains the dispatcher until it ends.
    open func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { report in try await self.response(from: request, report: report) }
    }

    /// Returns a future that sends a request to its own address when it is started.
    ///
    /// The policy's header fields, token and request adapters are for the dispatcher's server. A request to another
    /// server is sent without them.
    open func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        future(sending: urlRequest)
    }

    /// Returns a future that sends a request to its own address, with the data as its body, when it is started.
    open func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        future(sending: urlRequest, body: .data(data))
    }

    /// Returns a future that sends a request to its own address when it is started, and saves the body of the response
    /// as a file, as `download(from:to:options:report:)` does.
    open func downloadFuture(from urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>> {
        future(downloading: urlRequest, to: destination)
    }
}

/// PiuPiu's name of ``FutureNetworkDispatcher``. In a file that imports `PigeonHTTP` too, it is ambiguous: write
/// ``FutureNetworkDispatcher``.
public typealias NetworkDispatcher = FutureNetworkDispatcher
