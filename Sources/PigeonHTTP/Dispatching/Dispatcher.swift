public import Foundation

/// Turns requests into answers.
///
/// One function is enough for a dispatcher of your own, over another HTTP library for example: ``future(from:)``. All
/// else has a default built on it.
public protocol Dispatcher: Sendable {
    /// Returns a future that asks when it is started, and not before.
    ///
    /// An answer with any status is a success of the future; ``Response/error`` says what a status of 400 or more means.
    func future(from request: any Request) -> ResponseFuture<Response<Data?>>

    /// Asks, and returns the answer whatever its status.
    func response(
        from request: any Request, report: TransferReport?
    ) async throws(HTTPError) -> Response<Data?>

    /// Asks, and returns as soon as the head of the answer is there, whatever its status. The default returns when the
    /// whole answer is there, with a body of one piece.
    func stream(from request: any Request, report: TransferReport?) async throws(HTTPError) -> Response<HTTPChunks>
}

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
