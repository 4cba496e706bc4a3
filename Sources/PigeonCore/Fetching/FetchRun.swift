/// One fetch of one key, including all its attempts, as the fetcher sees it.
package final class FetchRun: Sendable {
    let slot: Slot
    package let client: ClientReference
    package let generation: UInt64
    package let direction: PageDirection?
    let fetcher: AnyFetcher
    let fromStart: Bool
    /// True if only a part of the value is fetched, which the request names.
    let isPartial: Bool
    package let cause: Cause
    let upstream: Upstream?
    /// The shortest time between two requests of the key.
    package let interval: Duration
    let state: Locked<State>

    struct State {
        var attempt = 0
        /// True if the client retries the attempt, so that its requests are not retried one by one.
        var isRetried = false
        var task: Task<Void, Never>?
        /// The same task, from when it begins: its starter may store it later. It is the one that runs the fetcher.
        var begun: BegunTask?
        /// Called when the run is stopped. Set while a fault delays the fetch.
        var onStop: (@Sendable () -> Void)?
        var isStopped = false
        var visit = Visit()
        /// The place of the newest request among those of the client, if the entry may contain items.
        var itemOrder = ItemOrder.unknown
        var previous: Payload?
        var answerDetails = AnswerDetails()
        var hasYielded = false
        /// True if the fetcher has yielded several values. The age of its answer is that of the first.
        var hasYieldedAgain = false
        var scratch: (any Sendable)?
        var trace: (any FetchTrace)?
    }

    /// The details of an answer, besides the value.
    package struct AnswerDetails: Sendable {
        var metadata = AnswerMetadata()
        /// The freshness lifetime that the server named, in nanoseconds.
        package var freshFor: Int64?
        /// The age of the answer when it arrived, in nanoseconds.
        var age: Int64 = 0
        var isNotModified = false
    }

    /// Called under the client's lock.
    init(
        slot: Slot, client: ClientReference, generation: UInt64, direction: PageDirection? = nil, fetcher: AnyFetcher,
        cause: Cause, fromStart: Bool, isPartial: Bool = false, previous: Payload?, upstream: Upstream?,
        interval: Duration
    ) {
        self.slot = slot
        self.client = client
        self.generation = generation
        self.direction = direction
        self.fetcher = fetcher
        self.cause = cause
        self.fromStart = fromStart
        self.isPartial = isPartial
        (self.upstream, self.interval) = (upstream, direction == nil ? interval : .zero)
        var state = State()
        state.isRetried = slot.entry.retries
        state.previous = previous
        self.state = Locked(state)
    }

    package var key: QueryKey { slot.key }

    /// The request to send, from whoever began the fetch or joined it. `nil` if the fetcher makes one, and then calls
    /// ``carry(_:)``.
    package var request: (any FetchRequest)? {
        client.client?.state.withLock { _ in slot.entry.request(of: generation) }
    }

    /// Makes the fetch carry a request that its fetcher has made.
    ///
    /// - Returns: The request to send: this one, or another one that the fetch carries already. `nil` if the fetch has been
    ///   stopped.
    package func carry(_ request: any FetchRequest) -> (any FetchRequest)? {
        client.client?.transact { state in
            state.send(.carry(request, generation: generation), to: slot)
            return slot.entry.request(of: generation)
        }
    }

    package var attempt: Int { state.withLock { $0.attempt } }

    /// The place of the newest request among those of the client, lowered by the age of its answer.
    var itemOrder: ItemOrder {
        state.withLock { $0.hasYieldedAgain ? $0.itemOrder : $0.itemOrder.lowered(by: $0.answerDetails.age) }
    }

    /// The place of a request that is made now. `nil` if the entry contains nothing.
    func nextItemOrder() -> ItemOrder? {
        guard slot.containsItems, let client = client.client else { return nil }
        return client.state.withLock { $0.items?.nextOrder(at: client.clock.now()) }
    }

    /// The value that the entry had when the attempt began, or another one that the server has confirmed as not
    /// modified.
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

    package var answerDetails: AnswerDetails { state.withLock { $0.answerDetails } }

    /// Replaces the answer's freshness and validators. The answer to the request of each page has its own.
    func resetAnswer(freshFor: Int64? = nil, validators: FetchValidators = FetchValidators()) {
        state.withLock {
            $0.answerDetails = AnswerDetails(metadata: AnswerMetadata(validators: validators), freshFor: freshFor)
        }
    }

    package var isNotModified: Bool { state.withLock { $0.answerDetails.isNotModified } }
    package var hasYielded: Bool { state.withLock { $0.hasYielded } }
    package var isStopped: Bool { state.withLock { $0.isStopped } }

    package var validators: FetchValidators {
        get { state.withLock { $0.answerDetails.metadata.validators } }
        set { state.withLock { $0.answerDetails.metadata.validators = newValue } }
    }

    /// State that an attempt leaves for the next one, so that a retry resumes where the last attempt failed.
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

    /// Notes the place of a request among those of the client. `nil` if the entry contains nothing.
    func note(_ order: ItemOrder?) {
        if let order { state.withLock { $0.itemOrder = order } }
    }

    /// Called under the client's lock. Removes ``scratch`` unless `goesOn` is true.
    func beginAttempt(_ attempt: Int, goesOn: Bool, previous: Payload?, validators: FetchValidators) {
        let old = state.withLock { state in
            defer {
                if !goesOn { state.scratch = nil }
                state.attempt = attempt
                state.isRetried = slot.entry.retries
                state.begun = nil
                state.previous = previous
                state.answerDetails = AnswerDetails(metadata: AnswerMetadata(validators: validators))
            }
            return (state.previous, goesOn ? nil : state.scratch)
        }
        _ = old
    }

    package func noteFresh(for duration: Duration) {
        state.withLock { $0.answerDetails.freshFor = max(0, duration.clampedNanoseconds) }
    }

    /// Notes how old the answer is when it arrives.
    package func note(age: Duration) {
        state.withLock { $0.answerDetails.age = max(0, age.clampedNanoseconds) }
    }

    /// Notes that the answer was received by another process, and what the server sent with it.
    func noteReceived(age: Duration, freshFor: Duration?, metadata: AnswerMetadata) {
        let answerDetails = AnswerDetails(
            metadata: metadata, freshFor: freshFor.map { max(0, $0.clampedNanoseconds) },
            age: max(0, age.clampedNanoseconds))
        state.withLock { $0.answerDetails = answerDetails }
    }

    /// - Throws: ``QueryError/missingDependency(type:of:given:)``.
    func dependency<Dependency: Sendable>(_ type: Dependency.Type) throws -> Dependency {
        try client.get().dependencies.required(type, by: key.description)
    }

    func note(_ allowance: StaleAllowance) {
        state.withLock { $0.answerDetails.metadata.allowance = allowance }
    }

    /// Reports the progress of the attempt, from 0 to 1.
    package func report(progress: Double) {
        guard !progress.isNaN, !isStopped else { return }
        client.client?.send(.progress(generation: generation, min(max(progress, 0), 1)), to: slot)
    }

    func noteNotModified() {
        state.withLock { $0.answerDetails.isNotModified = true }
    }

    /// Returns false if the fetch was stopped, so that the value is too late.
    func noteYield() -> Bool {
        let (isStopped, isFirst) = state.withLock { state in
            defer { state.hasYielded = state.hasYielded || !state.isStopped }
            return (state.isStopped, !state.hasYielded)
        }
        // A value after the first counts as of now.
        if !isStopped, !isFirst, let order = nextItemOrder() {
            state.withLock { ($0.itemOrder, $0.hasYieldedAgain) = (order, true) }
        }
        return !isStopped
    }

    var trace: (any FetchTrace)? {
        get { state.withLock { $0.trace } }
        set { state.withLock { $0.trace = newValue } }
    }

    /// Runs an attempt. Its requests belong to the fetch, and are not retried one by one if the client retries the fetch.
    func attempting<Outcome: Sendable>(
        in trace: (any FetchTrace)?, _ attempt: @Sendable () async -> Outcome
    ) async -> Outcome {
        let isRetried = state.withLock { $0.isRetried }
        // A fetch that starts in the fetcher of another one may inherit the other's value.
        guard trace != nil || RequestLog.isOn || RetryLayers.clientRetries != isRetried else { return await attempt() }
        guard let trace else { return await bound(isRetried, attempt) }
        return await trace.run { await self.bound(isRetried, attempt) }
    }

    private func bound<Outcome: Sendable>(
        _ isRetried: Bool, _ attempt: @Sendable () async -> Outcome
    ) async -> Outcome {
        guard RequestLog.isOn else {
            return await RetryLayers.$clientRetries.withValue(isRetried, operation: attempt)
        }
        let fetch = RequestLog.Fetch(FetchOrigin(client: client.client.map(ObjectIdentifier.init), key: key))
        return await RequestLog.$fetch.withValue(fetch) {
            await RetryLayers.$clientRetries.withValue(isRetried, operation: attempt)
        }
    }

    /// Stores the task, so that stopping the run cancels it. Cancels it at once if the run has been stopped already.
    func hold(_ task: Task<Void, Never>) {
        let isStopped = state.withLock { state in
            state.task = task
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    /// Records that the current task runs the fetcher. Cancels it at once if the run has been stopped already.
    func noteTask() {
        let begun = BegunTask()
        let isStopped = state.withLock { state in
            state.begun = begun
            return state.isStopped
        }
        if isStopped { begun?.cancel() }
    }

    /// True if the current task is the one that runs the fetcher.
    var isCaller: Bool {
        guard let current = BegunTask() else { return false }
        return state.withLock { $0.begun == current }
    }

    /// True if `payload` is the current server value, even if it has been evicted since.
    package func holds(_ payload: Payload) -> Bool {
        client.client?.state.withLock { _ in slot.holds(payload) } ?? false
    }

    func stop() {
        let (task, begun, onStop) = state.withLock { state in
            defer { state.onStop = nil }
            state.isStopped = true
            return (state.task, state.begun, state.onStop)
        }
        task?.cancel()
        begun?.cancel()
        onStop?()
        if fetcher.isCallback { leaveUpstream() }
    }

    // MARK: The end of an attempt

    /// Calls a handler when the fetch is stopped, or at once if it has been stopped already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.onStop = handler }
            return state.isStopped
        }
        if isStopped { handler() }
    }

    /// Ends an attempt of a fetcher whose execution is ``AnyFetcher/Execution/callback(_:)``. When this returns, the answer
    /// has been stored or dropped, and observers have been notified.
    package func end(with outcome: FetchOutcome) {
        leaveUpstream()
        client.client?.finish(self, with: outcome)
    }
}
