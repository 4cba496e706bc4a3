internal import Foundation

extension MockTransport {
    /// What was asked, first to last, answered or not.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    /// How many requests have neither been answered in full nor ended otherwise.
    public var activeCount: Int { state.withLock { $0.active } }

    /// How many requests ended because the asker cancelled them or let go of their answer.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Waits until so many requests have been asked. Returns early when the task is cancelled.
    ///
    /// - Returns: What was asked, first to last.
    @discardableResult
    public func requests(count: Int) async -> [MockRequest] {
        await wait { $0.requests.count >= count }
        return requests
    }

    /// Waits until no request is active. Returns early when the task is cancelled.
    public func idle() async {
        await wait { $0.active == 0 }
    }

    /// Changes the record and tells who waits for it.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, watchers) = state.withLock { state in (body(&state), Array(state.watchers.values)) }
        for watcher in watchers { watcher.yield() }
        return result
    }

    private func wait(until isMet: @Sendable (State) -> Bool) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { $0.watchers[id] = watcher }
        watcher.yield()
        for await _ in changes where state.withLock({ isMet($0) }) { break }
        state.withLock { $0.watchers[id] = nil }
    }
}
