public import Foundation
public import PigeonHTTP

/// A dispatcher that can send requests as futures: `Dispatcher` in files that import `PigeonFutures` alone.
///
/// A dispatcher of your own, over another HTTP library for example, needs one function: ``future(from:)``. All others
/// have a default built on it. ``FutureNetworkDispatcher``, ``RequestSerializer`` and `MockDispatcher` conform.
public protocol FutureDispatcher: PigeonHTTP.Dispatcher {
    /// Returns a future that sends the request when it is started, and not before.
    ///
    /// A response with any status is a success of the future. Its `error` is the meaning of a status of 400 or more.
    func future(from request: any Request) -> ResponseFuture<Response<Data?>>
}

/// PiuPiu's name of ``FutureDispatcher``. In a file that imports `PigeonHTTP` too, it is ambiguous: write
/// ``FutureDispatcher``.
public typealias Dispatcher = FutureDispatcher

extension FutureDispatcher {
    /// Returns a future that sends the request when it is started, as ``future(from:)-(Request)`` does. For requests
    /// such as `.get("/users/1")`.
    public func future(from request: some Request) -> ResponseFuture<Response<Data?>> {
        future(from: request as any Request)
    }

    /// Returns a future that saves the response to a request as a file, as `download(from:to:options:report:)` does.
    public func future(
        downloading request: any Request, to file: URL, options: DownloadOptions = DownloadOptions()
    ) -> ResponseFuture<Response<URL>> {
        ResponseFuture { report in try await self.download(from: request, to: file, options: options, report: report) }
    }

    /// Sends the request by a future.
    public func response(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        do {
            let future = future(from: request)
            if let report { future.progress { report($0) } }
            return try await future.value
        } catch {
            throw HTTPError(error)
        }
    }
}

extension MockDispatcher: FutureDispatcher {
    /// Returns a future that sends the request when it is started. It retains the dispatcher until it ends.
    public func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { report in try await self.response(from: request, report: report) }
    }
}

extension FutureDispatcher {
    /// Returns a future that creates its request when it is started. An error thrown by the closure is the future's
    /// error; `nil` cancels the future.
    ///
    /// ```swift
    /// dispatcher.future(from: {
    ///     var request = BasicRequest(method: .post, path: "/posts")
    ///     try request.setJSONBody(post)
    ///     return request
    /// }).error({ error in show(error) }).send()
    /// ```
    public func future(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> (any Request)?
    ) -> ResponseFuture<Response<Data?>> {
        ResponseFuture(on: callback.isolation, making: { try await callback() }) { (request: any Request) in
            self.future(from: request)
        }
    }
}

extension FutureDispatcher {
    /// Returns a promise that sends the request when it is started. A status of 400 or more is its failure, any other
    /// status its success, and a missing response its error.
    public func promise(from request: any Request) -> ResponsePromise<Data?, Data?> {
        ResponsePromise(future(from: request))
    }

    /// Returns a promise that creates its request when it is started. An error thrown by the closure is the promise's
    /// error; `nil` cancels the promise.
    public func promise(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> (any Request)?
    ) -> ResponsePromise<Data?, Data?> {
        ResponsePromise(future(from: callback))
    }

    /// Returns a promise. An old name.
    @available(*, deprecated, renamed: "promise(from:)")
    public func make(from request: any Request) -> ResponsePromise<Data?, Data?> {
        promise(from: request)
    }

    /// Returns a promise that creates its request when it is started. An old name.
    @available(*, deprecated, renamed: "promise(from:)")
    public func make(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> (any Request)?
    ) -> ResponsePromise<Data?, Data?> {
        promise(from: callback)
    }

    /// Returns a promise. An old name.
    @available(*, deprecated, renamed: "promise(from:)")
    public func make(_ request: any Request) -> ResponsePromise<Data?, Data?> {
        promise(from: request)
    }

    /// Returns a promise that creates its request when it is started. An old name.
    @available(*, deprecated, renamed: "promise(from:)")
    public func makeRequest(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable () throws -> (any Request)?
    ) -> ResponsePromise<Data?, Data?> {
        promise(from: callback)
    }
}

extension Promise {
    fileprivate convenience init<Body>(_ future: ResponseFuture<Response<Body>>)
    where T == SuccessResponse<Body>, E == ErrorResponse<Body> {
        self.init(
            future.core.stage(of: future) { outcome, stage in
                await stage.settle {
                    let response = try outcome.get()
                    guard let error = response.error else {
                        return .success(SuccessResponse(data: response.data, response: response))
                    }
                    return .failure(ErrorResponse(data: response.data, response: response, error: error))
                }
            })
    }
}
