public import Foundation
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends plain `URLRequest`s and returns their responses.
///
/// ```swift
/// dispatcher.dataFuture(from: URLRequest(url: url, method: .get))
///     .success { response in show(try response.decode(Post.self)) }
///     .send()
/// ```
///
/// ``URLRequestDispatcher``, ``FutureNetworkDispatcher`` and `MockDispatcher` conform.
public protocol DataDispatcher: AnyObject, Sendable {
    /// Returns a future that sends a request when it is started.
    func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>>
}

/// Sends plain `URLRequest`s with a body of their own.
public protocol UploadDispatcher: AnyObject, Sendable {
    /// Returns a future that sends a request, with the data as its body, when it is started.
    func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>>
}

/// Saves the responses to plain `URLRequest`s as files.
public protocol DownloadDispatcher: AnyObject, Sendable {
    /// Returns a future that sends a request when it is started, and saves the body of the response as a file.
    func downloadFuture(from urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>>
}

extension DataDispatcher {
    /// Returns a future that creates its request when it is started. An error thrown by the closure is the future's
    /// error; `nil` cancels the future.
    public func dataFuture(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> URLRequest?
    ) -> ResponseFuture<Response<Data?>> {
        ResponseFuture(on: callback.isolation, making: { try await callback() }) { self.dataFuture(from: $0) }
    }
}

extension UploadDispatcher {
    /// Returns a future that creates its request when it is started. An error thrown by the closure is the future's
    /// error; `nil` cancels the future.
    public func uploadFuture(
        with data: Data,
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> URLRequest?
    ) -> ResponseFuture<Response<Data?>> {
        ResponseFuture(on: callback.isolation, making: { try await callback() }) {
            self.uploadFuture(from: $0, with: data)
        }
    }
}

extension DownloadDispatcher {
    /// Returns a future that creates its request when it is started. An error thrown by the closure is the future's
    /// error; `nil` cancels the future.
    public func downloadFuture(
        destination: URL,
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> URLRequest?
    ) -> ResponseFuture<Response<URL>> {
        ResponseFuture(on: callback.isolation, making: { try await callback() }) {
            self.downloadFuture(from: $0, to: destination)
        }
    }
}

extension FutureDispatcher {
    /// Returns a future that sends a request to its own address when it is started.
    public func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        future(sending: urlRequest)
    }

    /// Returns a future that sends a request to its own address, with the data as its body, when it is started.
    public func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        future(sending: urlRequest, body: .data(data))
    }

    /// Returns a future that sends a request to its own address when it is started, and saves the body of the response
    /// as a file, as `download(from:to:options:report:)` does.
    public func downloadFuture(from urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>> {
        future(downloading: urlRequest, to: destination)
    }

    func future(sending urlRequest: URLRequest, body: HTTPBody? = nil) -> ResponseFuture<Response<Data?>> {
        future(from: urlRequest.dispatched(with: body))
    }

    func future(downloading urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>> {
        future(downloading: urlRequest.dispatched(), to: destination)
    }
}

extension MockDispatcher: DataDispatcher, UploadDispatcher, DownloadDispatcher {}
