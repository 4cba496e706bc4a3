import CombineShim
internal import PigeonBase
import PigeonCore

/// Observes an entry on the main actor for a query or a consumer, and converts its snapshots to a state.
///
/// Takes snapshots from the main actor at once. Of other snapshots, takes only the newest.
@MainActor
final class QueryModel<Value: Sendable> {
    let client: QueryClient
    private(set) var snapshot: Snapshot<Value>
    private(set) var phase = QueryStatePhase.idle
    private var hasApplied = false
    private var observer: QueryObserver<Value>?
    private var subscription: QuerySubscription?
    /// True while the observer moves to another query, whose state must not be shown yet.
    private var isMoving = false
    private let config: QueryCacheConfig?
    private let notifier: ChangeNotifier
    /// The main-actor turn that takes the newest snapshot from another thread.
    private let turn = MainTurn()

    /// - Parameter config: The cache configuration. `nil` uses the configuration of the query that fetches the entry.
    init(
        key: QueryKey, client: QueryClient, config: QueryCacheConfig?, objectWillChange: ObservableObjectPublisher
    ) {
        self.client = client
        self.config = config
        notifier = ChangeNotifier(objectWillChange)
        snapshot = client.snapshot(of: QueryDefinition<Value>.value(at: key))
    }

    /// Records that the caller reads the state or the snapshot.
    func access() {
        notifier.access()
    }

    /// The state, for queries whose response is the entry's value.
    var state: QueryState<Value> {
        access()
        return phase.state(showing: snapshot.value)
    }

    /// Publishes the result of `read` now, and again after each change of the state.
    func statePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(mark: { [weak self] in self?.stateMark }, read: read)
    }

    /// Publishes the result of `read` now, and again after each change of the value that the state shows.
    func valuePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.flatMap { $0.phase.showsValue ? $0.stateMark : nil } }, read: read)
    }

    /// Publishes the result of `read` now, and again after each change of the value, whether or not the state shows it.
    func publisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.map { ValueMark(key: $0.snapshot.key, version: $0.snapshot.valueVersion) } },
            read: read)
    }

    /// Observes another query instead of the current one. Its state is shown before this method returns.
    func observe(_ definition: QueryDefinition<Value>) {
        move(to: definition)
        refresh()
    }

    /// Observes another query instead of the current one. Its state appears at the next ``refresh()``, so that it
    /// includes the fetch that the caller is about to start.
    private func move(to definition: QueryDefinition<Value>) {
        isMoving = true
        defer { isMoving = false }
        if let observer {
            observer.observe(definition)
        } else {
            let made = client.observe(definition)
            observer = made
            subscription = made.onChange { [weak self] snapshot in self?.receive(snapshot) }
        }
    }

    /// Observes a query and fetches it. Depending on the usage policy, shows the cached value instead.
    ///
    /// - Parameters:
    ///   - request: The request. A fetch with the same request joins a first load. One with another request replaces
    ///     it.
    ///   - fromStart: True if a list starts again at its first page.
    func ask(
        _ definition: QueryDefinition<Value>, with request: some Sendable, _ cause: Cause, fromStart: Bool = false
    ) {
        let mode = client.mode(ofFetching: definition.key, with: request)
        // Attaching starts no fetch, because the definitions of this module turn that off.
        move(to: definition)
        if config?.usagePolicy != .useInsteadOfFetching || !hasValidValue(at: definition.key) {
            client.startFetch(definition, mode, cause, fromStart: fromStart)
        }
        refresh()
    }

    /// Refetches the observed query, whatever is cached, and waits until the fetch has succeeded or failed.
    func refetch() async {
        await client.refetch(.key(snapshot.key))
        refresh()
    }

    /// Waits until the running fetch has succeeded or failed.
    func settle() async {
        await client.settle(.key(snapshot.key))
        refresh()
    }

    /// True if the key has a value that is currently valid by the policy.
    private func hasValidValue(at key: QueryKey) -> Bool {
        let now = client.snapshot(of: QueryDefinition<Value>.value(at: key))
        let policy = (config ?? QueryCacheConfig()).invalidationPolicy
        return now.value != nil && !now.isInvalidated && policy.isValid(age: now.age)
    }

    /// Takes the newest snapshot now.
    func refresh() {
        guard let newest = observer?.snapshot else { return }
        apply(newest)
    }

    private nonisolated func receive(_ snapshot: Snapshot<Value>) {
        if MainActor.isCurrent {
            return MainActor.assumeIsolated {
                if !isMoving { apply(snapshot) }
            }
        }
        // Reads the newest snapshot then, because this one may belong to a key that is no longer observed.
        turn.ask { [weak self] in self?.refresh() }
    }

    /// Takes a snapshot. Notifies observers beforehand if it changes what a view can show.
    ///
    /// The version also increases when other observers of the key attach or change their options, which is not visible
    /// here.
    private func apply(_ newest: Snapshot<Value>) {
        guard isNews(newest) else { return }
        guard !phase(of: newest).isSame(as: phase) || !newest.looks(like: snapshot) else { return take(newest) }
        notifier.change {
            // A subscriber that was notified may have caused a newer snapshot, which has been taken already.
            if isNews(newest) { take(newest) }
        }
    }

    private func take(_ newest: Snapshot<Value>) {
        phase = phase(of: newest)
        snapshot = newest
        hasApplied = true
    }

    private func phase(of newest: Snapshot<Value>) -> QueryStatePhase {
        let isSameKey = hasApplied && snapshot.key == newest.key
        return QueryStatePhase(
            newest, config: config ?? newest.config ?? QueryCacheConfig(), hadValue: isSameKey && phase.showsValue)
    }

    private func isNews(_ newest: Snapshot<Value>) -> Bool {
        !hasApplied || snapshot.key != newest.key || newest.version > snapshot.version
    }

    /// Distinguishes states without comparing values.
    private var stateMark: StateMark {
        switch phase {
        case .idle: .idle
        case .loading: .loading
        case .succeed:
            .succeed(key: snapshot.key, valueVersion: snapshot.valueVersion, isPlaceholder: snapshot.isPlaceholder)
        case .failed: .failed(key: snapshot.key, failureCount: snapshot.failureCount)
        }
    }
}

private struct ValueMark: Equatable {
    let key: QueryKey
    let version: UInt64
}

private enum StateMark: Equatable {
    case idle
    case loading
    case succeed(key: QueryKey, valueVersion: UInt64, isPlaceholder: Bool)
    case failed(key: QueryKey, failureCount: Int)
}

extension QueryStatePhase {
    var showsValue: Bool {
        if case .succeed = self { true } else { false }
    }

    /// True if both are the same case. Errors are not compared.
    func isSame(as other: QueryStatePhase) -> Bool {
        switch (self, other) {
        case (.idle, .idle), (.loading, .loading), (.succeed, .succeed), (.failed, .failed): true
        default: false
        }
    }
}
