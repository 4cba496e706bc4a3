internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension QueryClock {
    /// Runs work that is cancelled when it is not done by a deadline, which is then a timeout.
    func withDeadline<Value: Sendable>(
        _ deadline: MonotonicInstant, _ work: @escaping @Sendable () async throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        guard now() < deadline else { throw .transport(URLError(.timedOut)) }
        let isOver = Locked(false)
        let task = Task { () -> Result<Value, HTTPError> in
            do throws(HTTPError) { return .success(try await work()) } catch { return .failure(error) }
        }
        let alarm = schedule(at: deadline) {
            isOver.withLock { $0 = true }
            task.cancel()
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        alarm.cancel()
        if case .failure(.cancelled) = result, isOver.withLock({ $0 }) { throw .transport(URLError(.timedOut)) }
        return try result.get()
    }
}
