internal import Foundation
internal import PigeonBase

/// What a chain does once the request it wraps is over.
public enum RequestChainAction: Sendable {
    /// Ends as another request does, which is started if it is not under way.
    case passTo(any Request)
    /// Ends with a response.
    case useResponse(ResponseInfo)
    /// Ends as the wrapped request did.
    case useThisResponse
}

extension Request {
    /// A request that does something more when this one is over: tries again, asks elsewhere, gives another response.
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
    /// To renew tokens once for all requests that were refused, give the service a `NetworkDispatcher` whose policy has a
    /// `TokenAuthorization`.
    ///
    /// Starting the chain starts this request; cancelling it cancels whichever request it waits for. A chain of a request
    /// that was started is started too.
    ///
    /// - Parameter callback: Called where hooks of no actor are, once this request is over, cancelled ones included; not when
    ///   the chain was cancelled. Called after the hooks that were attached to this request before.
    /// - Returns: The chain, started if this request was.
    public func chained(
        whenCompleted callback: @escaping @Sendable (ResponseInfo) -> RequestChainAction
    ) -> any Request {
        let surroundings = (self as? LiveRequest)?.surroundings ?? RequestSurroundings()
        let chain = LiveRequest(RequestChain(wrapping: self, callback), in: surroundings)
        return state == .notStarted ? chain : chain.start()
    }
}

/// Waits for one request, then for what a closure says.
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
        // A hook, since hooks that were attached before must have run: one of them may keep the token that the next step sends.
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

    /// The wrapped request is the first half; whether another follows is known when that is over.
    func computeProgress() -> Double {
        guard let next = state.withLock({ $0.next }) else { return wrapped.progress * 0.5 }
        return 0.5 + next.progress * 0.5
    }

    var requestDescription: String {
        "chain of \((wrapped as? LiveRequest)?.delegate.requestDescription ?? "a request")"
    }
}

extension Request {
    /// Tells of the end as soon as it is known, where the request is one of the library's own.
    func followToEnd(_ follower: @escaping @Sendable (ResponseInfo) -> Void) {
        guard let live = self as? LiveRequest else {
            onCompletion { follower($0) }
            return
        }
        live.follow(follower)
    }

    /// Tells of the end as soon as hooks are told: of a load, once the resource is as the response left it.
    func followLate(_ follower: @escaping @Sendable (ResponseInfo) -> Void) {
        guard let live = self as? LiveRequest else {
            onCompletion { follower($0) }
            return
        }
        live.followLate(follower)
    }
}
