/// One fetch of one key, all its attempts included, from the fetcher's side.
package final class FetchRun: Sendable {
    let slot: Slot
    let client: ClientReference
    /// A copy: the slot's own is behind the client's lock, and fetchers ask from anywhere.
    package let key: QueryKey
    package let generation: UInt64
    package let direction: PageDirection?
    let fetcher: AnyFetcher
    let fromStart: Bool
    package let cause: Cause
    private let state: Locked<State>

    private struct State {
        var attempt = 0
        var task: Task<Void, Never>?
        /// Called when the run is stopped, if no task is cancelled then.
        var onStop: (@Sendable () -> Void)?
        /// Tells the task from others. 0 before it runs.
        var taskHash = 0
        var isStopped = false
        var isSuperseded = false
        var previous: Payload?
        var freshFor: Int64?
        var isNotModified = false
        var hasYielded = false
        var validators = FetchValidators()
        var scratch: (any Sendable)?
    }

    /// Called under the client's lock.
    init(
        slot: Slot, client: ClientReference, generation: UInt64, direction: PageDirection? = nil, fetcher: AnyFetcher,
        cause: Cause,
        fromStart: Bool, previous: Payload?
    ) {
        self.slot = slot
        key = slot.key
        self.client = client
        self.generation = generation
        self.direction = direction
        self.fetcher = fetcher
        self.cause = cause
        self.fromStart = fromStart
        var state = State()
        state.previous = previous
        self.state = Locked(state)
    }

    package var attempt: Int { state.withLock { $0.attempt } }

    /// What was there when it began, or what a server that says "not modified" speaks of.
    package var previous: Payload? {
        get { state.withLock { $0.previous } }
        set {
            let old = state.withLock { state in
                defer { state.previous = newValue }
                return state.previous
            }
            _ = old
        }
    }

    /// The freshness and the validators that the server sent with its answer.
    var said: (freshFor: Int64?, validators: FetchValidators) { state.withLock { ($0.freshFor, $0.validators) } }

    package var isNotModified: Bool { state.withLock { $0.isNotModified } }
    package var hasYielded: Bool { state.withLock { $0.hasYielded } }
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    package var validators: FetchValidators {
        get { state.withLock { $0.validators } }
        set { state.withLock { $0.validators = newValue } }
    }

    /// What an attempt leaves for the next one, so that a retry goes on where the last failed.
    package var scratch: (any Sendable)? {
        get { state.withLock { $0.scratch } }
        set {
            let old = state.withLock { state in
                defer { state.scratch = newValue }
                return state.scratch
            }
            _ = old
        }
    }

    /// Called under the client's lock.
    func beginAttempt(_ attempt: Int, goesOn: Bool, previous: Payload?, validators: FetchValidators) {
        let old = state.withLock { state in
            defer {
                if !goesOn { state.scratch = nil }
                state.attempt = attempt
                state.taskHash = 0
                state.previous = previous
                state.validators = validators
                state.isNotModified = false
                state.freshFor = nil
            }
            return (state.previous, goesOn ? nil : state.scratch)
        }
        _ = old
    }

    package func noteFresh(for duration: Duration) {
        state.withLock { $0.freshFor = max(0, duration.clampedNanoseconds) }
    }

    /// Reports how far the attempt is, from 0 to 1.
    package func report(progress: Double) {
        guard !progress.isNaN, !isStopped else { return }
        client.client?.send(.progress(generation: generation, min(max(progress, 0), 1)), to: slot)
    }

    package func noteNotModified() {
        state.withLock { $0.isNotModified = true }
    }

    /// Tells the event stream that what the fetch met is used wrongly.
    package func reportMisuse(_ text: String) {
        client.client?.reportMisuse(text, key: key)
    }

    func noteYield() {
        state.withLock { $0.hasYielded = true }
    }

    /// Keeps the task, so that stopping cancels it. A run that was stopped meanwhile cancels it at once.
    func hold(_ task: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    /// Notes that the present task runs the fetcher.
    func noteTask() {
        let hash = Self.presentTask()
        state.withLock { $0.taskHash = hash }
    }

    /// True if the present task is the one that runs the fetcher.
    var isCaller: Bool {
        let hash = Self.presentTask()
        return hash != 0 && state.withLock { $0.taskHash } == hash
    }

    private static func presentTask() -> Int {
        withUnsafeCurrentTask { $0?.hashValue ?? 0 }
    }

    /// Whether it was stopped because a newer fetch of the key made it useless.
    package var isSuperseded: Bool { state.withLock { $0.isSuperseded } }

    func noteSuperseded() {
        state.withLock { $0.isSuperseded = true }
    }

    /// Whether it goes on: it runs, or waits to be tried again.
    package var isUnderWay: Bool {
        client.client?.state.withLock { _ in slot.entry.isUnderWay(generation) } ?? false
    }

    /// Whether a value that it brought is what counts.
    package func holds(_ payload: Payload) -> Bool {
        client.client?.state.withLock { _ in slot.holds(payload) } ?? false
    }

    func stop() {
        let (task, onStop) = state.withLock { state in
            defer { state.onStop = nil }
            state.isStopped = true
            return (state.task, state.onStop)
        }
        task?.cancel()
        onStop?()
    }

    // MARK: A fetch without a task

    /// Calls a handler when the fetch is stopped; now if it was.
    ///
    /// - Returns: False if it was stopped.
    @discardableResult
    package func onStop(_ handler: @escaping @Sendable () -> Void) -> Bool {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.onStop = handler }
            return state.isStopped
        }
        if isStopped { handler() }
        return !isStopped
    }

    /// Ends an attempt that a fetcher of ``AnyFetcher/Work/begun(_:)`` began. When this returns, the answer has landed, or was
    /// dropped, and observers have been notified.
    package func end(with outcome: FetchOutcome) {
        client.client?.land(outcome, of: self)
    }
}

/// A definition's user code, boxed: what fetches, and what else is called with values.
package final class AnyFetcher: Sendable {
    /// How an attempt is made.
    package enum Work: Sendable {
        /// Awaited in a task of the attempt's own.
        case awaited(@Sendable (FetchRun) async -> FetchOutcome)
        /// Begun, and ended with ``FetchRun/end(with:)`` on the thread on which the answer arrives.
        case begun(@Sendable (FetchRun) -> Void)
    }

    let work: Work
    private let extras: Extras?

    /// The properties that few fetchers have. Boxed, because every entry retains a fetcher.
    private final class Extras: Sendable {
        let pager: (any Pager)?
        let request: (any Sendable)?
        let source: (any SourceOfTruth)?

        init(pager: (any Pager)?, request: (any Sendable)?, source: (any SourceOfTruth)?) {
            self.pager = pager
            self.request = request
            self.source = source
        }
    }

    /// Loads the pages of a list. `nil` for other values.
    package var pager: (any Pager)? { extras?.pager }

    /// The request of a face, by which two callers with equal requests can share a fetch. `nil` if there is none.
    package var request: (any Sendable)? { extras?.request }

    /// The store that holds the data, if the entry does not.
    package var source: (any SourceOfTruth)? { extras?.source }

    package init(
        pager: (any Pager)? = nil, request: (any Sendable)? = nil, source: (any SourceOfTruth)? = nil,
        run: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) {
        let isPlain = pager == nil && request == nil && source == nil
        extras = isPlain ? nil : Extras(pager: pager, request: request, source: source)
        work = .awaited(run)
    }

    /// A fetcher whose attempts are ended with ``FetchRun/end(with:)``.
    package init(begin: @escaping @Sendable (FetchRun) -> Void) {
        (extras, work) = (nil, .begun(begin))
    }
}

extension AnyFetcher {
    /// A fetcher that runs a closure.
    package static func closure<Value: Sendable>(
        request: (any Sendable)? = nil, _ fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value
    ) -> AnyFetcher {
        AnyFetcher(request: request) { run in
            do {
                let value = try await fetch(FetchContext(run: run))
                return run.isNotModified ? .notModified : .value(PayloadOf(value))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// How a fetcher ended.
package enum FetchOutcome: Sendable {
    case value(Payload)
    case notModified
    /// All values were yielded.
    case finished
    /// What came meanwhile, from a cache, needs no fetch.
    case unneeded
    case failure(any Error)
}

/// How pages of one list are loaded and added, with types erased.
package protocol Pager: AnyObject, Sendable {
    /// Whether there is a page in that direction. Looks at no user code.
    func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool
    /// Loads the page that follows `pages` in the direction; `nil` if there is none.
    func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)?
}

/// A page on its way into a list.
package protocol LoadedPage: Sendable {
    /// The list with the page added; `nil` when it does not follow any more. Costs the page. Calls user code.
    func added(to pages: Payload) -> Payload?
}
