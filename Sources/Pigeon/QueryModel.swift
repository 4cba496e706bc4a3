import CombineShim
internal import PigeonBase
import PigeonCore

/// Follows an entry on the main actor for a query or a consumer, and turns its snapshots into a state.
///
/// Snapshots that are made on the main actor are taken at once, others newest first.
@MainActor
final class QueryModel<Value: Sendable> {
    let client: QueryClient
    private(set) var snapshot: Snapshot<Value>
    private(set) var phase = QueryStatePhase.idle
    private var hasApplied = false
    private var observer: QueryObserver<Value>?
    private var subscription: QuerySubscription?
    /// Whether the observer is on its way to a query whose state is not to be shown yet.
    private var isMoving = false
    private let config: QueryCacheConfig?
    private let notifier: ChangeNotifier
    /// When the newest snapshot is taken that came from elsewhere.
    private let turn = MainTurn()

    /// - Parameter config: How the cache is used. `nil` takes that of whoever fetches the entry.
    init(
        key: QueryKey, client: QueryClient, config: QueryCacheConfig?, objectWillChange: ObservableObjectPublisher
    ) {
        self.client = client
        self.config = config
        notifier = ChangeNotifier(objectWillChange)
        snapshot = client.snapshot(of: QueryDefinition<Value>.value(at: key))
    }

    /// Notes that somebody reads the state or the snapshot.
    func access() {
        notifier.access()
    }

    /// The state, for queries whose response is the entry's value.
    var state: QueryState<Value> {
        access()
        return phase.state(showing: snapshot.value)
    }

    /// Publishes ``state``. One publisher, so that a change reads the state once for all its subscribers.
    private(set) lazy var states: AnyPublisher<QueryState<Value>, Never> = statePublisher { [weak self] in self?.state }

    /// Publishes the values that the state shows.
    private(set) lazy var values: AnyPublisher<Value, Never> = valuePublisher { [weak self] in self?.snapshot.value }

    /// Publishes the result of `read`: now, then after each change of the state.
    func statePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(mark: { [weak self] in self?.stateMark }, read: read)
    }

    /// Publishes the result of `read`: now, then after each change of the value that the state shows.
    func valuePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.flatMap { $0.phase.showsValue ? $0.stateMark : nil } }, read: read)
    }

    /// Publishes the result of `read`: now, then after each change of the value, whether or not the state shows it.
    func publisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.map { ValueMark(key: $0.snapshot.key, version: $0.snapshot.valueVersion) } },
            read: read)
    }

    /// Watches a query, in place of the one before. Its state is shown before this returns.
    func observe(_ definition: QueryDefinition<Value>) {
        move(to: definition)
        refresh()
    }

    /// Watches a query, in place of the one before, whose state is shown by the next ``refresh()``: after what is about to
    /// be asked of it, and not as it is before.
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

    /// Watches a query and fetches it, or shows what is cached, as the usage policy says.
    ///
    /// - Parameters:
    ///   - request: What it is asked with: who asks for the same joins a first load, who does not replaces it.
    ///   - fromStart: Whether a list begins again at its first page.
    func ask(
        _ definition: QueryDefinition<Value>, with request: some Sendable, _ cause: Cause, fromStart: Bool = false
    ) {
        let mode = client.mode(ofFetching: definition.key, with: request)
        // Attaching fetches nothing by itself: the definitions of this module say so.
        move(to: definition)
        if config?.usagePolicy != .useInsteadOfFetching || !hasValidValue(at: definition.key) {
            client.startFetch(definition, mode, cause, fromStart: fromStart)
        }
        refresh()
    }

    /// Fetches again what is watched, whatever is cached, and waits until that has ended, well or not.
    func refetch() async {
        await client.refetch(.key(snapshot.key))
        refresh()
    }

    /// Waits until the fetch that runs has ended, well or not.
    func settle() async {
        await client.settle(.key(snapshot.key))
        refresh()
    }

    /// Whether there is a value at a key that the policy counts as valid now.
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
        // The snapshot itself may be of a key that is not watched any more by then.
        turn.ask { [weak self] in self?.refresh() }
    }

    /// Takes a snapshot, and announces it beforehand if it changes what a view can show.
    ///
    /// Versions also grow when other observers of the key come or change their options, which nobody can see here.
    private func apply(_ newest: Snapshot<Value>) {
        guard isNews(newest) else { return }
        guard !phase(of: newest).isSame(as: phase) || !newest.looks(like: snapshot) else { return take(newest) }
        notifier.change {
            // A subscriber of the announcement may have brought about a newer snapshot, which was taken already.
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

    /// Tells one state from the next without comparing values.
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

    /// Whether both are the same case. Errors are not compared.
    func isSame(as other: QueryStatePhase) -> Bool {
        switch (self, other) {
        case (.idle, .idle), (.loading, .loading), (.succeed, .succeed), (.failed, .failed): true
        default: false
        }
    }
}
