public import Foundation
public import PigeonCore

/// The durable mutations that a client has yet to send to the server, and those that the server has refused.
///
/// ```swift
/// let client = QueryClient(
///     cache: cache, outbox: Outbox.Setup(store: try SQLiteMutationStore(at: url), mutations: [RenameNote.self]))
/// try await client.enqueue(RenameNote(id: 7, title: "Milk"))         // returns once it is on disk
/// for await outbox in client.outbox.updates { badge(outbox.waiting.count, outbox.setAside) }
/// ```
///
/// The client sends the mutations of one scope in order, and those of different scopes at the same time. It waits for the
/// network, and retries as each mutation's policy says. Optimistic edits show from the call of ``PigeonCore/QueryClient/enqueue(_:)`` on,
/// and again after a restart, before anything is fetched.
///
/// A mutation that the server refuses for good is *set aside*: ``/PigeonCore/QueryClient/onFailure(_:)`` reports it, its edits are rolled
/// back, and the outbox keeps it without another attempt until the program calls ``retry(_:)``, ``edit(_:as:_:)`` or
/// ``discard(_:)``. Later mutations are sent without it, unless they have its ``/PigeonCore/TemporaryID`` or their
/// ``DurableMutation/afterSetAside`` says otherwise.
///
/// Several processes can share a store. One of them at a time sends the mutations, and another takes over if it ends: at once
/// after ``/PigeonCore/QueryClient/close(within:)``, and otherwise ``Setup/leaseTime`` later.
public final class Outbox: Sendable {
    /// The store, the types and the limits of an outbox.
    public struct Setup: ClientPartSetup {
        /// The store of the mutations.
        public var store: any MutationStore
        /// The types of all mutations that may be in the store. A record of another type is kept and set aside. Two types
        /// of one ``DurableMutation/name`` are a programming error, at which the creation of the client stops the process.
        public var mutations: [any DurableMutation.Type]
        /// The session to which new mutations belong, such as the identifier of the person who is signed in. Only
        /// mutations of this session are shown and sent. `nil` if there is only one.
        public var session: String?
        /// The most mutations that run at a time. Default 4.
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
    private let names: [ObjectIdentifier: String]
    let state: Locked<OutboxState>
    let reference: ClientReference
    let environment: QueryEnvironment
    /// The clock of the state. No time of the wall clock is compared with its times.
    let clock: OutboxClock
    let writer = OutboxWriter()
    private let held = Locked<(alarm: AlarmHandle?, subscriptions: [QuerySubscription])>((nil, []))
    private let listeners = Listeners()

    init(_ setup: Setup?, reference: ClientReference, environment: QueryEnvironment) {
        self.setup = setup
        self.reference = reference
        self.environment = environment
        clock = OutboxClock(environment)
        if let problem = setup.flatMap({ Self.duplicate(among: $0.mutations) }) { preconditionFailure(problem) }
        types = Dictionary(setup?.mutations.map { ($0.name, $0) } ?? []) { _, last in last }
        names = Dictionary(setup?.mutations.map { (ObjectIdentifier($0), $0.name) } ?? []) { _, last in last }
        holder = setup == nil ? "" : IdempotencyKey(random: environment.random).text
        state = Locked(
            OutboxState(
                holder: holder, width: setup?.width ?? 1, leaseTime: max(0.1, setup?.leaseTime.inSeconds ?? 5),
                isOnline: environment.connectivity.isOn, session: setup?.session))
    }

    /// Describes two types with the same name. A mutation of one would be decoded and executed as the other.
    static func duplicate(among types: [any DurableMutation.Type]) -> String? {
        var known: [String: any DurableMutation.Type] = [:]
        for type in types {
            guard let other = known.updateValue(type, forKey: type.name), other != type else { continue }
            return """
                \(String(reflecting: other)) and \(String(reflecting: type)) are both named "\(type.name)" in the outbox: \
                give one of them another DurableMutation.name
                """
        }
        return nil
    }

    deinit {
        held.withLock { $0.alarm }?.cancel()
    }

    // MARK: Looking

    /// The current content.
    public var snapshot: OutboxSnapshot {
        let (now, shift) = (clock.now, clock.shift)
        return state.withLock { $0.snapshot(at: now, shift: shift) }
    }

    /// Number of changes so far. The newest snapshot has this number.
    package var version: Int { state.withLock { $0.version } }

    /// The content now and after each change. A slow reader skips states, but never the last one. While more than 100
    /// mutations wait, there are at most ten states a second, so that a screen does not slow them down. Each iteration is
    /// independent.
    public var updates: OutboxUpdates { OutboxUpdates(outbox: self) }

    /// The mutations whose optimistic edits concern a query, in the order in which they were enqueued. An edit of an item concerns
    /// a query whose value in memory contains the item.
    public func items<Value>(editing definition: QueryDefinition<Value>) -> [OutboxItem] {
        let (now, shift, key) = (clock.now, clock.shift, definition.key.assigned ?? definition.key)
        let contained = reference.client?.items(at: key) ?? []
        return state.withLock { state in
            let items = state.items.values.filter { item in
                item.layer?.edited.contains { $0.concerns(key, with: contained) } == true
            }
            return items.map { state.outboxItem(of: $0, at: now, shift: shift) }
        }.sorted { $0.id < $1.id }
    }

    /// The keys that each mutation edits. Edits of several keys at once are left out.
    package var editedKeys: [OutboxItem.ID: [QueryKey]] {
        state.withLock { state in
            state.items.mapValues { item in
                (item.layer?.edited ?? []).compactMap { if case .records(.key(let key)) = $0 { key } else { nil } }
            }
        }
    }

    /// True if an attempt at a mutation runs in this process. `nil` if there is no such mutation.
    package func isRunning(_ id: OutboxItem.ID) -> Bool? {
        state.withLock { state in
            state.items[id].map { item in item.stage != .waiting }
        }
    }

    /// Calls `listener` after each change, on the thread that made it, until the subscription ends.
    package func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription {
        listeners.add(listener)
    }

    // MARK: Changing

    /// Attempts a mutation that was set aside, or that waits for its next attempt, as soon as possible. One that could not
    /// be decoded is decoded again, and stays set aside if that fails.
    ///
    /// - Throws: ``OutboxError/notWaiting(_:)`` if the mutation runs or has ended. An error of the store.
    public func retry(_ id: OutboxItem.ID) async throws {
        try await decide(.retry(at: clock.now), id)
    }

    /// Removes a mutation that has not succeeded, and its optimistic edits. The entries that it edits are fetched again.
    ///
    /// - Throws: ``OutboxError/notWaiting(_:)`` if the mutation runs or has ended. An error of the store.
    public func discard(_ id: OutboxItem.ID) async throws {
        try await decide(.discard, id)
    }

    /// Changes a mutation that waits or was set aside, and attempts it as soon as possible.
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
                return try await decide(.replace(replacement, at: clock.now), id, basedOn: item.record.revision)
            } catch {
                client.hideEdits(replacement.layer)
                guard error as? MutationStoreError == .outdated else { throw error }
            }
        }
    }

    /// The name of a type. Computing one takes microseconds, so those of registered types are stored.
    func name(of type: any DurableMutation.Type) -> String { names[ObjectIdentifier(type)] ?? type.name }

    package var isAvailable: Bool { setup != nil }

    /// True while a caller waits until all possible mutations have been executed.
    package var isDraining: Bool { state.withLock { !$0.drains.isEmpty } }

    /// Executes the mutations that threw ``MutationNotReady``, and shows their edits, if what they lacked now exists.
    package func becameReady(_ isConcerned: @escaping @Sendable (any DurableMutation) -> Bool) {
        receive(.ready(isConcerned))
    }

    /// Attempts mutations again after the server did not accept the credentials. Call it once there are new ones.
    ///
    /// Also ends the wait of mutations for their next attempt, unless the server has named the time, as do the return of
    /// the network and of the foreground, and ``drain(within:)``.
    public func resume() {
        receive(.authorized)
    }

    /// Waits until no mutation can be attempted for now: those that remain wait for the network, for credentials, or for the
    /// program.
    ///
    /// - Parameter limit: The time after which the function returns in any case. `nil` for none.
    /// - Returns: The number of mutations that still wait.
    @discardableResult
    public func drain(within limit: Duration? = nil) async -> Int {
        guard setup != nil, reference.client != nil else { return 0 }
        let drained = SharedOneShot<Payload>()
        let handle = limit.map { schedule(in: $0) { drained.resolve(.success(.nothing)) } }
        defer { handle?.cancel() }
        receive(.drain(drained))
        _ = try? await drained.value()
        return snapshot.waiting.count
    }

    /// A limit that is a date.
    @available(*, unavailable, message: "say for how long, as in drain(within: .seconds(20))")
    @discardableResult
    public func drain(until deadline: Date) async -> Int { await drain() }

    /// A limit that is a moment.
    @available(*, unavailable, message: "say for how long, as in drain(within: .seconds(20))")
    @discardableResult
    public func drain(until deadline: ContinuousClock.Instant) async -> Int { await drain() }

    /// Shows and sends the mutations of another session, and adds new mutations to it.
    ///
    /// - Parameters:
    ///   - session: The other session. `nil` for none.
    ///   - discardingCurrent: True to remove the mutations of the current session, as at a sign-out. By default, they
    ///     stay in the store until the session is set again.
    public func setSession(_ session: String?, discardingCurrent: Bool = false) {
        receive(.session(session, discardingCurrent: discardingCurrent))
    }

    private func decide(
        _ change: OutboxDecision.Change, _ id: OutboxItem.ID, basedOn revision: Int64? = nil
    ) async throws {
        guard isAvailable, reference.client != nil else { throw OutboxError.notWaiting(id) }
        try await store { .change(id, change, basedOn: revision, $0) }
    }

    /// Passes on a decision of the program, and waits until it is stored.
    private func store(_ decision: (SharedOneShot<Payload>) -> OutboxInput) async throws {
        let stored = SharedOneShot<Payload>()
        receive(decision(stored))
        try await stored.value(onCancel: .isIgnored)
    }

    // MARK: Effects

    func receive(_ input: OutboxInput) {
        // Without its client, nothing that follows could be carried out.
        guard setup != nil, reference.client != nil else { return }
        let now = clock.now
        var effects: [OutboxEffect] = []
        let mustWrite = state.withLock { $0.receive(input, at: now, into: &effects) }
        perform(effects)
        if mustWrite { startWriting() }
    }

    /// Carries out steps in a task until none is left. The task retains the client, so that results are recorded and
    /// the lease ends.
    func startWriting() {
        guard let client = reference.client else { return }
        _ = environment.launch { [self] in
            await writer.write(for: self)
            withExtendedLifetime(client) {}
        }
    }

    func perform(_ effects: [OutboxEffect]) {
        guard let client = reference.client else { return }
        let hasIdentifiers = effects.contains { if case .assigned = $0 { true } else { false } }
        guard hasIdentifiers else { return perform(effects, in: client) }
        // Observers see all replacements of a temporary identifier as one change.
        client.delivered(asOne: { perform(effects, in: client) })
    }

    private func perform(_ effects: [OutboxEffect], in client: QueryClient) {
        for effect in effects {
            switch effect {
            case .run(let number): run(number, in: client)
            case .alarm(let date): arm(for: date)
            case .announce: listeners.call()
            case .end(let outcome, let result): outcome.resolve(result)
            case .release: break  // with the effects
            case .stop(let layer): client.stopMutation(layer.id)
            case .show(let number, let mutation): show(mutation, of: number, in: client)
            case .resolve(let number, let mutation): resolve(mutation, of: number, in: client)
            case .hide(let layer, let isReplaced): client.hideEdits(layer, isReplaced: isReplaced)
            case .confirm(let layer): client.confirmEdits(layer)
            case .refetch(let layer): client.refetchEdited(layer)
            case .assigned(let ids): client.noteAssigned(ids)
            case .emit(let event):
                client.emit(
                    event.kind, mutation: event.name, event.number, error: event.error, reason: event.reason,
                    cause: event.cause)
            }
        }
    }

    private func resolve(_ mutation: any DurableMutation, of number: Int64, in client: QueryClient) {
        do {
            let (resolved, tokens) = try resolve(mutation, [])
            let options = OutboxItemOptions(resolved, tokens: tokens)
            receive(.resolved(number, resolved, client.restoreEdits(of: resolved), options))
        } catch {
            let name = name(of: type(of: mutation))
            receive(.unresolved(number, OutboxError.coding(name: name, reason: CodingProblem.place(of: error))))
        }
    }

    private func arm(for date: Date) {
        let wait = Duration.seconds(date.timeIntervalSince(clock.now))
        let handle = schedule(in: wait) { [weak self] in self?.receive(.timePassed) }
        let old = held.withLock { held in
            defer { held.alarm = handle }
            return held.alarm
        }
        old?.cancel()
    }

    func hold(_ subscriptions: [QuerySubscription]) {
        held.withLock { $0.subscriptions = subscriptions }
    }

    private func schedule(in wait: Duration, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        environment.clock.schedule(at: environment.clock.now().advanced(by: max(.zero, wait)), action)
    }

    private func show(_ mutation: any DurableMutation, of number: Int64, in client: QueryClient) {
        let old = state.withLock { $0.items[number]?.layer }
        if let old { client.hideEdits(old, isReplaced: true) }
        let layer = client.showEdits(of: mutation, as: old?.id)
        if !state.withLock({ $0.setLayer(layer, of: number) }) { client.hideEdits(layer) }
    }
}
