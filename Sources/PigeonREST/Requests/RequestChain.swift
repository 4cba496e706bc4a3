internal import Foundation
internal import PigeonBase

/// The action of a chain after the request that it wraps has completed.
public enum RequestChainAction: Sendable {
    /// Completes with the response of another request, and starts that request if necessary.
    case passTo(any Request)
    /// Completes with the given response.
    case useResponse(ResponseInfo)
    /// Completes with the response of the wrapped request.
    case useThisResponse
}

extension Request {
    /// Returns a request that reacts to the response of this one: it can repeat the request, start another one, or
    /// replace the response.
    ///
    /// ```swift
    /// service.configure("**") {
    ///     $0.decorateRequests { _, request in
    ///         request.chained { info in
    ///             guard case .failure(let error) = info.response, error.httpStatusCode == 401 else {
    ///                 return .useThisResponse
    ///             }
    ///             return .passTo(tokenRefresh().chained { _ in .passTo(request.repeated()) })
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// To renew a token once for all requests that the server has rejected, create the service with a
    /// `NetworkDispatcher` whose policy has a `TokenAuthorization`.
    ///
    /// Starting the chain starts this request. Cancelling the chain cancels the request that it waits for.
    ///
    /// - Parameter callback: Called once this request has completed, even if it was cancelled, but not if the chain
    ///   itself was cancelled. It runs where hooks without an actor run, after the hooks that were attached to this
    ///   request before.
    /// - Returns: The chain. It is already started if this request is.
    public func chained(
        whenCompleted callback: @escaping @Sendable (ResponseInfo) -> RequestChainAction
    ) -> any Request {
        let surroundings = (self as? LiveRequest)?.surroundings ?? RequestSurroundings()
        let chain = LiveRequest(RequestChain(wrapping: self, callback), in: surroundings)
        return state == .notStarted ? chain : chain.start()
    }
}

/// Waits for one request, then for the request with which a closure continues, if any.
final class RequestChain: RequestDelegate {
    private struct State {
        var next: (any Request)?
        var isCancelled = false
    }

    private let wrapped: any Request
    private let callback: @Sendable (ResponseInfo) -> RequestChainAction
    private let state = Locked(State())

    init(wrapping wrapped: any Request, _ callback: @escaping @Sendable (ResponseInfo) -> RequestChainAction) {
        self.wrapped = wrapped
        self.callback = callback
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        // Attached as a hook, so that earlier hooks have run. One of them may store the token that the next request
        // sends.
        wrapped.onCompletion { [self] info in proceed(from: info, completionHandler) }
        wrapped.start()
    }

    private func proceed(from info: ResponseInfo, _ completionHandler: any RequestCompletionHandler) {
        guard !state.withLock({ $0.isCancelled }) else { return }
        switch callback(info) {
        case .useThisResponse: completionHandler.broadcastResponse(info)
        case .useResponse(let other): completionHandler.broadcastResponse(other)
        case .passTo(let next): pass(to: next, completionHandler)
        }
    }

    private func pass(to next: any Request, _ completionHandler: any RequestCompletionHandler) {
        let isCancelled = state.withLock { state in
            state.next = next
            return state.isCancelled
        }
        guard !isCancelled else { return next.cancel() }
        next.onCompletion { completionHandler.broadcastResponse($0) }
        next.start()
    }

    func cancelUnderlyingOperation() {
        let next = state.withLock { state in
            state.isCancelled = true
            return state.next
        }
        wrapped.cancel()
        next?.cancel()
    }

    func repeated() -> any RequestDelegate {
        RequestChain(wrapping: wrapped.repeated(), callback)
    }

    /// The wrapped request counts as the first half. Until it has completed, it is unknown whether another request
    /// follows.
    func computeProgress() -> Double {
        guard let next = state.withLock({ $0.next }) else { return wrapped.progress * 0.5 }
        return 0.5 + next.progress * 0.5
    }

    var requestDescription: String {
        "chain of \((wrapped as? LiveRequest)?.delegate.requestDescription ?? "a request")"
    }
}

extension Request {
    /// Calls `listener` when the request has completed: for a ``LiveRequest``, within the call that completes it, and
    /// for other implementations as a hook.
    func followToEnd(_ listener: @escaping @Sendable (ResponseInfo) -> Void) {
        guard let live = self as? LiveRequest else {
            onCompletion { listener($0) }
            return
        }
        live.follow(listener)
    }

    /// Calls `listener` as soon as the hooks for the response may run. For a load, the resource has the response by
    /// then.
    func followLate(_ listener: @escaping @Sendable (ResponseInfo) -> Void) {
        guard let live = self as? LiveRequest else {
            onCompletion { listener($0) }
            return
        }
        live.followLate(listener)
    }
}
