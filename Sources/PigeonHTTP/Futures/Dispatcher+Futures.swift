public import Foundation

extension Dispatcher {
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

extension Dispatcher {
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

extension ResponseFuture {
    /// Creates a future that makes a request on an actor and continues with the future that sends it. Without a
    /// request, it is cancelled.
    convenience init<Made: Sendable>(
        on isolation: (any Actor)?, making make: @escaping @Sendable () async throws -> Made?,
        sending send: @escaping @Sendable (Made) -> ResponseFuture<T>
    ) {
        self.init(
            FutureCore { core in
                core.begin { await core.follow(try await core.run(on: isolation, make).map(send)) }
            })
    }
}

extension Promise {
    fileprivate convenience init<Body>(_ future: ResponseFuture<Response<Body>>)
    where T == SuccessResponse<Body>, E == ErrorResponse<Body> {
        self.init(
            future.core.stage(of: future) { response, stage in
                guard let error = response.error else {
                    let success = SuccessResponse(data: response.data, response: response)
                    return await stage.settle(.success(.success(success)))
                }
                let failure = ErrorResponse(data: response.data, response: response, error: error)
                await stage.settle(.success(.failure(failure)))
            })
    }
}
