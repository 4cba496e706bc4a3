import Foundation
import NIOConcurrencyHelpers
import PigeonREST

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request under way through a ``NetworkSwitch``. Its end is told once, whether it was answered or the network went.
final class Transfer: RequestNetworking {
    private struct State {
        var completion: RequestNetworkingCompletionCallback?
        var inner: (any RequestNetworking)?
        var isOver = false
    }

    private let state: NIOLockedValueBox<State>

    init(_ completion: @escaping RequestNetworkingCompletionCallback) {
        state = NIOLockedValueBox(State(completion: completion))
    }

    /// Notes what carries the request, and ends it where it was cancelled before it had begun.
    func carry(by inner: any RequestNetworking) {
        let isOver = state.withLockedValue { state in
            if !state.isOver { state.inner = inner }
            return state.isOver
        }
        if isOver { inner.cancel() }
    }

    func end(_ head: HTTPURLResponse?, _ body: Data?, _ error: (any Error)?) {
        finish().completion?(head, body, error)
    }

    /// Ends it as a network that goes away does.
    func cut() {
        let (completion, inner) = finish()
        inner?.cancel()
        completion?(nil, nil, URLError(.networkConnectionLost))
    }

    func cancel() {
        finish().inner?.cancel()
    }

    var transferMetrics: RequestTransferMetrics {
        state.withLockedValue { $0.inner }?.transferMetrics ?? RequestTransferMetrics()
    }

    private func finish() -> (completion: RequestNetworkingCompletionCallback?, inner: (any RequestNetworking)?) {
        state.withLockedValue { state in
            defer { state = State(isOver: true) }
            return (state.completion, state.inner)
        }
    }
}
