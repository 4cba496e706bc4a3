public import Foundation

extension Dispatcher {
    /// Returns a future whose request is made when it is started. What the closure throws is the future's error; `nil`
    /// cancels it.
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
        ResponseFuture(
            FutureCore { core in
                core.begin {
                    let request = try await core.run(on: callback.isolation) { try await callback() }
                    await core.follow(request.map(future(from:)))
                }
            })
    }
}
