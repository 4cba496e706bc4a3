public import Foundation

/// The mutations of a client that are made even if the process ends first.
///
/// ```swift
/// let client = QueryClient(
///     cache: cache, outbox: Outbox.Setup(store: try SQLiteMutationStore(at: url), mutations: [RenameNote.self]))
/// try await client.enqueue(RenameNote(id: 7, title: "Milk"))         // returns once it is on disk
/// for await outbox in client.outbox.updates { badge(outbox.waiting.count, outbox.setAside) }
/// ```
///
/// The client makes the mutations of one scope in order, and those of different scopes at the same time. It waits for the
/// network, and retries as each mutation's policy says. What the server refuses for good is set aside, and is neither lost
/// nor made until the program decides. Optimistic edits show from the call of ``QueryClient/enqueue(_:)`` on, and again
/// after a restart, before anything is fetched.
///
/// Several processes can share a store. One of them at a time makes the mutations, and another takes over if it ends.
public final class Outbox: Sendable {
    /// What an outbox needs.
    public struct Setup: Sendable {
        /// The store of the mutations.
        public var store: any MutationStore
        /// The types of all mutations that may be in the store. A record of another type is kept and set aside.
        public var mutations: [any DurableMutation.Type]
        /// The session to which new mutations belong, such as the identifier of the person who is signed in. Only
        /// mutations of this session are shown and made. `nil` if there is only one.
        public var session: String?
        /// The most mutations that are made at a time. Default 4.
        public var width: Int
        /// The time after which another process takes over from one that ended without notice. Default 5 seconds.
        public var leaseTime: Duration
        /// Converts the encoded mutations before they are stored and after they are read, for instance to encrypt them.
        /// `nil` to store them as they are.
        public var coding: MutationCoding?

        /// Describes an outbox.
        public init(
            store: any MutationStore, mutations: [any DurableMutation.Type], session: String? = nil, width: Int = 4,
            leaseTime: Duration = .seconds(5), coding: MutationCoding? = nil
        ) {
            (self.store, self.mutations, self.session) = (store, mutations, session)
            (self.width, self.leaseTime, self.coding) = (width, leaseTime, coding)
        }
    }

    let setup: Setup?
    /// Identifies the client in the store.
    let holder: String
    let types: [String: any DurableMutation.Type]
    let state: Locked<OutboxState>
    let reference: ClientReference
    let environment: QueryEnvironment
    private let writer = OutboxWriter()
    private let alarm = Locked<AlarmHandle?>(nil)
    private let subscriptions = Locked<[QuerySubscription]>([])
    private let listeners = Locked<(nextID: UInt64, all: [(id: UInt64, call: @Sendable () -> Void)])>((0, []))

    init(_ setup: Setup?, reference: ClientReference, environment: QueryEnvironment) {
        self.setup = setup
        self.reference = reference
        self.environment = environment
        types = Dictionary(setup?.mutations.map { ($0.name, $0) } ?? []) { _, last in last }
        holder = setup == nil ? "" : IdempotencyKey(random: environment.random).text
        state = Locked(
            OutboxState(
                holder: holder, width: setup?.width ?? 1, leaseTime: max(0.1, setup?.leaseTime.inSeconds ?? 5),
                isOnline: environment.connectivity.isOn, session: setup?.session))
    }

    deinit {
        alarm.withLock { $0 }?.cancel()
    }

    /// Reads the store, so that the first snapshots of the client show what waits.
    func open() {
        guard let setup else { return }
        load(after: -1, session: setup.session, epoch: 0, from: setup.store)
        let reference = reference
        let changes = setup.store.onChange { reference.client?.outbox.receive(.storeChanged) }
        let network = environment.connectivity.onChange { reference.client?.outbox.receive(.online($0)) }
        subscriptions.withLock { $0 = [changes, network].compactMap { $0 } }
        receive(.online(environment.connectivity.isOn))
        receive(.timePassed)
    }

    // MARK: Looking

    /// The current content.
    public var snapshot: OutboxSnapshot {
        let now = environment.wallClock()
        return state.withLock { $0.snapshot(at: now) }
    }

    /// The content now and after each change. A slow reader skips states, but never the last one. While more than 100
    /// mutations wait, there are at most ten states a second, so that a screen does not slow them down. Each iteration is
    /// independent.
    public var updates: OutboxUpdates { OutboxUpdates(outbox: self) }

    /// The mutations whose optimistic edits concern a query, in the order in which they were enqueued.
    public func items<Value>(editing definition: QueryDefinition<Value>) -> [OutboxItem] {
        let (now, key) = (environment.wallClock(), definition.key)
        return state.withLock { state in
            let items = state.items.values.filter { item in
                item.layer?.edited.contains { $0.contains(key, tags: key.tags) } == true
            }
            return items.map { state.picture(of: $0, at: now) }
        }.sorted { $0.id < $1.id }
    }

    /// True if an attempt at a mutation runs in this process. `nil` if there is no such mutation.
    package func isRunning(_ id: OutboxItem.ID) -> Bool? {
        state.withLock { state in
            state.items[id].map { item in item.stage != .waiting }
        }
    }

    /// Calls `listener` after each change, on the thread that made it, until the subscription ends.
    package func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription {
        let id = listeners.withLock { listeners in
            listeners.nextID += 1
            listeners.all.append((listeners.nextID, listener))
            return listeners.nextID
        }
        return QuerySubscription { [weak self] in
            let old = self?.listeners.withLock { listeners in
                listeners.all.firstIndex { $0.id == id }.map { listeners.all.remove(at: $0) }
            }
            _ = old  // released outside the lock
        }
    }

    /// Waits for a time, or for the cancellation of the caller's task.
    fileprivate func wait(until time: MonotonicInstant) async {
        guard environment.clock.now() < time else { return }
        let waiter = Waiter()
        let handle = environment.clock.schedule(at: time) { waiter.resume(.success(.nothing)) }
        defer { handle.cancel() }
        _ = try? await waiter.value { waiter.resume(.failure(CancellationError())) }
    }

    // MARK: Changing

    /// Makes a mutation that was set aside or that waits for a time, as soon as possible.
    ///
    /// - Throws: ``OutboxError/notWaiting(_:)`` if the mutation runs or has ended. An error of the store.
    public func retry(_ id: OutboxItem.ID) async throws {
        try await decide { .retry(id, $0) }
    }

    /// Removes a mutation that has not been made, and its optimistic edits. The entries that it edits are fetched again.
    ///
    /// - Throws: ``OutboxError/notWaiting(_:)`` if the mutation runs or has ended. An error of the store.
    public func discard(_ id: OutboxItem.ID) async throws {
        try await decide { .discard(id, $0) }
    }

    /// Changes a mutation that waits or was set aside, and makes it as soon as possible.
    ///
    /// ```swift
    /// try await client.outbox.edit(item.id, as: RenameNote.self) { $0.title = "Bread" }
    /// ```
    ///
    /// If it has been attempted, it gets another idempotency key, because a server may answer the old one with its old
    /// refusal. The function is called again if the mutation changes in the meantime.
    ///
    /// - Throws: ``OutboxError/notWaiting(_:)`` if there is no such mutation, it is of another type, or it runs or has
    ///   ended. An error of the encoder or the store.
    public func edit<M: DurableMutation>(
        _ id: OutboxItem.ID, as type: M.Type, _ change: (inout M) -> Void
    ) async throws {
        while true {
            guard let item = state.withLock({ $0.items[id] }), var mutation = item.mutation as? M,
                item.stage == .waiting, let client = reference.client
            else { throw OutboxError.notWaiting(id) }
            change(&mutation)
            let replacement = try replacement(of: mutation, for: item.record, in: client)
            do {
                return try await decide { .replace(id, replacement, revision: item.record.revision, $0) }
            } catch {
                client.hide(replacement.layer)
                guard error as? MutationStoreError == .outdated else { throw error }
            }
        }
    }

    /// Makes the mutations that threw ``MutationNotReady``.
    package func becameReady() {
        receive(.ready)
    }

    /// Makes mutations again after the server did not accept the credentials. Call it once there are new ones.
    public func resume() {
        receive(.authorized)
    }

    /// Waits until every mutation that can be made has been made: those that remain wait for the network, for
    /// credentials, or for the program.
    ///
    /// - Parameter deadline: The time at which the function returns in any case. `nil` for none.
    /// - Returns: The number of mutations that still wait.
    @discardableResult
    public func drain(until deadline: Date? = nil) async -> Int {
        guard setup != nil else { return 0 }
        let waiter = Waiter()
        let handle = deadline.map { schedule(at: $0) { waiter.resume(.success(.nothing)) } }
        defer { handle?.cancel() }
        receive(.drain(waiter))
        _ = try? await waiter.value { waiter.resume(.failure(CancellationError())) }
        return snapshot.waiting.count
    }

    /// Shows and makes the mutations of another session, and adds new mutations to it. Those of the current session stay
    /// in the store.
    public func setSession(_ session: String?) {
        receive(.session(session))
    }

    /// Removes all mutations of the session, and cancels those that run.
    func clear() async throws {
        guard setup != nil else { return }
        try await decide { .clear($0) }
    }

    private func decide(_ input: (Waiter) -> OutboxInput) async throws {
        let waiter = Waiter()
        receive(input(waiter))
        _ = try await waiter.value {}
    }

    // MARK: Effects

    func receive(_ input: OutboxInput) {
        guard setup != nil else { return }
        let now = environment.wallClock()
        var effects: [OutboxEffect] = []
        state.withLock { $0.receive(input, at: now, into: &effects) }
        perform(effects)
    }

    func perform(_ effects: [OutboxEffect]) {
        guard let client = reference.client else { return }
        for effect in effects {
            switch effect {
            case .write: _ = environment.launch { [self] in await writer.write(for: self) }
            case .run(let number): run(number, in: client)
            case .alarm(let date): arm(for: date)
            case .announce: for listener in listeners.withLock({ $0.all }) { listener.call() }
            case .resume(let waiter, let result): waiter.resume(result)
            case .end(let outcome, let result): outcome.end(with: result)
            case .release: break  // with the effects
            case .stop(let layer): client.stopMutation(layer.id)
            case .show(let number, let mutation): show(mutation, of: number, in: client)
            case .resolve(let number, let mutation): resolve(mutation, of: number, in: client)
            case .hide(let layer): client.hide(layer)
            case .confirm(let layer): client.confirm(layer)
            case .refetch(let layer): client.refetch(layer)
            case .emit(let kind, let name, let error): client.emit(kind, mutation: name, error: error)
            }
        }
    }

    private func resolve(_ mutation: any DurableMutation, of number: Int64, in client: QueryClient) {
        guard let (resolved, encoded, tokens) = try? encode(mutation, key: "") else { return }
        let replacement = OutboxReplacement(
            mutation: resolved, encoded: encoded, layer: client.restore(resolved),
            terms: OutboxTerms(resolved, tokens: tokens))
        receive(.resolved(number, replacement))
    }

    private func arm(for date: Date) {
        let reference = reference
        let handle = schedule(at: date) { reference.client?.outbox.receive(.timePassed) }
        let old = alarm.withLock { alarm in
            defer { alarm = handle }
            return alarm
        }
        old?.cancel()
    }

    private func schedule(at date: Date, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let delay = Duration.seconds(max(0, date.timeIntervalSince(environment.wallClock())))
        return environment.clock.schedule(at: environment.clock.now().advanced(by: delay), action)
    }

    private func show(_ mutation: any DurableMutation, of number: Int64, in client: QueryClient) {
        let layer = client.show(mutation)
        if !state.withLock({ $0.setLayer(layer, of: number) }) { client.hide(layer) }
    }

    // MARK: The store

    /// Carries out the next step. Called by the writer only.
    ///
    /// - Returns: False if there is nothing to do until the next input.
    func step() async -> Bool {
        guard let setup, let client = reference.client else { return false }
        let now = environment.wallClock()
        var effects: [OutboxEffect] = []
        let step = state.withLock { $0.nextStep(at: now, into: &effects) }
        perform(effects)
        guard let step else { return false }
        switch step {
        case .load(let revision, let session, let epoch):
            load(after: revision, session: session, epoch: epoch, from: setup.store)
        case .takeLease(let end):
            do {
                let lease = MutationLease(holder: holder, end: end)
                receive(.leased(try setup.store.takeLease(lease, now: now)))
            } catch { receive(.unreadable(error)) }
        case .endLease:
            try? setup.store.endLease(of: holder)
            receive(.leased(MutationLease(holder: "", end: .distantPast)))
        case .store(let batch):
            // A result must be in the caches before its mutation is forgotten. Otherwise, a crash would lose it.
            if batch.confirms { await client.writer.write(for: client) }
            store(batch, in: setup.store)
        }
        return true
    }

    private func store(_ batch: OutboxBatch, in store: any MutationStore) {
        do {
            var receipt = MutationReceipt(numbers: [], revision: state.withLock { $0.revision })
            if !batch.changes.isEmpty {
                receipt = try store.apply(MutationBatch(batch.changes, isDurable: batch.isDurable, lease: batch.lease))
            }
            receive(.stored(batch, receipt))
        } catch {
            receive(.refused(batch, error))
        }
    }

    private func load(after revision: Int64, session: String?, epoch: Int, from store: any MutationStore) {
        guard let client = reference.client else { return }
        do {
            guard let changes = try store.changes(after: revision, in: session) else { return receive(.unchanged) }
            var assigned = state.withLock { $0.assigned }
            for id in changes.assigned { if let token = id.token { assigned[token] = id.data } }
            let (known, ids) = (state.withLock { $0.items }, TemporaryIDs(assigned))
            let decoder = Self.decoder(resolving: ids)
            let items = changes.records.map { read($0, known[$0.number], decoder, ids, in: client) }
            receive(.loaded(changes, items, epoch: epoch))
        } catch {
            receive(.unreadable(error))
        }
    }

    /// Decodes a record, and shows its edits.
    private func read(
        _ record: MutationRecord, _ known: OutboxState.Item?, _ decoder: JSONDecoder, _ ids: TemporaryIDs,
        in client: QueryClient
    ) -> OutboxState.Item {
        var item = OutboxState.Item(
            record: record, terms: OutboxTerms(scope: record.scope), digest: record.mutation.digest)
        item.record.mutation.data = Data()
        if let known, known.digest == item.digest, let mutation = known.mutation {
            (item.mutation, item.layer, item.terms) = (mutation, known.layer, known.terms)
        } else {
            do {
                let mutation = try decode(record.mutation, with: decoder)
                (item.mutation, item.terms) = (mutation, OutboxTerms(mutation, tokens: ids.takeRemaining()))
            } catch {
                _ = ids.takeRemaining()
                item.error = error
            }
        }
        guard let mutation = item.mutation, !item.isSetAside else {
            item.layer = nil
            return item
        }
        if item.layer == nil { item.layer = client.restore(mutation) }
        return item
    }
}

/// Writes the store of an outbox, outside the caller's actor. One batch at a time.
private actor OutboxWriter {
    func write(for outbox: Outbox) async {
        while await outbox.step() {}
    }
}

/// The states of an outbox. Iterations are independent of each other.
public struct OutboxUpdates: AsyncSequence, Sendable {
    let outbox: Outbox

    /// Creates an iterator that begins with the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(outbox) }

    /// Iterates over the states of an outbox, beginning with the current one. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let outbox: Outbox
        /// Has an item if the outbox may have changed.
        private let mailbox = Mailbox<Void>()
        private let subscription: QuerySubscription
        /// The time before which there is no further state.
        private var next = MonotonicInstant(nanoseconds: .min)

        init(_ outbox: Outbox) {
            self.outbox = outbox
            subscription = outbox.onChange { [mailbox] in mailbox.put(()) }
            mailbox.put(())
        }

        /// Returns the current state once it may have changed, or `nil` once the task is cancelled.
        public mutating func next() async -> OutboxSnapshot? {
            guard await mailbox.next() != nil else { return nil }
            await outbox.wait(until: next)
            let (snapshot, now) = (outbox.snapshot, outbox.environment.clock.now())
            next = snapshot.waiting.count > 100 ? now.advanced(by: .milliseconds(100)) : now
            return snapshot
        }
    }
}
