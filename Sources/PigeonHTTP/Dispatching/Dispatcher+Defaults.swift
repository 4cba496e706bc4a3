public import Foundation

extension Dispatcher {
    /// Returns a future that asks when it is started: ``future(from:)-(Request)``, for `.get("/users/1")` and its like.
    public func future(from request: some Request) -> ResponseFuture<Response<Data?>> {
        future(from: request as any Request)
    }

    /// Asks by a future.
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

    /// Waits for the whole answer and gives its body in one piece.
    public func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        let whole = try await response(from: request, report: report)
        return whole.withData(HTTPChunks(piece: whole.data))
    }
}
