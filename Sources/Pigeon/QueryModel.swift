import CombineShim
internal import PigeonBase
import PigeonCore

/// Observes an entry on the main actor for a query or a consumer, and turns its snapshots into a state.
///
/// A snapshot that arrives on the main actor is applied immediately. Of the snapshots that arrive on other threads, the
/// newest is applied.
@MainActor
final class QueryModel<Value: Sendable> {
    let client: QueryClient
    private(set) var snapshot: Snapshot<Value>
    private(set) var phase = QueryStatePhase.idle
    private var hasApplied = false
    private var observer: QueryObserver<Value>?
    private var subscription: QuerySubscription?
    private let usage: CacheUsage
    private let notifier: ChangeNotifier
    /// Schedules the application of the newest snapshot that arrived on another thread.
    private let scheduler = MainScheduler()

    init(
        key: QueryKey, client: QueryClient, usage: CacheUsage, objectWillChange: ObservableObjectPublisher
    ) {
        self.client = client
        self.usage = usage
        notifier = ChangeNotifier(objectWillChange)
        snapshot = client.snapshot(of: QueryDefinition<Value>.value(key))
    }

    func access() {
        notifier.access()
    }

    /// The state, for queries whose response is the entry's value.
    var state: QueryState<Value> {
        access()
        return phase.state(showing: snapshot.value)
    }

    /// Publishes ``state``. All subscribers share one publisher, so that a change reads the state only once.
    private(set) lazy var states: AnyPublisher<QueryState<Value>, Never> = statePublisher { [weak self] in self?.state }

    private(set) lazy var values: AnyPublisher<Value, Never> = valuePublisher { [weak self] in self?.snapshot.value }

    /// Publishes the current result of `read`, and then a new one after each change of the state.
    func statePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(mark: { [weak self] in self?.stateMark }, read: read)
    }

    /// Publishes the current result of `read`, and then a new one after each change of the value that the state shows.
    func valuePublisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.flatMap { $0.phase.showsValue ? $0.stateMark : nil } }, read: read)
    }

    /// Publishes the current snapshot, and then each newer one that looks different.
    var snapshots: AnyPublisher<Snapshot<Value>, Never> {
        notifier.publisher(
            mark: { [weak self] in self.map { ValueMark($0.snapshot, version: $0.snapshot.version) } },
            read: { [weak self] in self?.snapshot })
    }

    /// Publishes the current result of `read`, and then a new one after each change of the value, whether or not the
    /// state shows it.
    func publisher<Output>(_ read: @escaping @MainActor () -> Output?) -> AnyPublisher<Output, Never> {
        notifier.publisher(
            mark: { [weak self] in self.map { ValueMark($0.snapshot, version: $0.snapshot.valueVersion) } },
            read: read)
    }

    /// Observes another query instead of the current one, and shows its state before this returns.
    func observe(_ definition: QueryDefinition<Value>) {
        move(to: definition)
        refresh()
    }

    /// Observes another query instead of the current one, and starts `fetch`, if there is one, in the same transaction.
    /// The next ``refresh()`` shows the state.
    private func move(to definition: QueryDefinition<Value>, fetching fetch: AttachedFetch? = nil) {
        Attaching.by(notifier) {
            if let observer { return observer.observe(definition, fetching: fetch) }
            let made = client.observe(definition)
            observer = made
            subscription = made.onChange { [weak self] snapshot in self?.receive(snapshot) }
            // After the subscription, which otherwise would miss the states of a fetcher that does not suspend.
            if let fetch { made.observe(definition, fetching: fetch) }
        }
    }

    /// Observes a query and fetches it, or shows its cached value, as the usage of the cache defines.
    ///
    /// - Parameters:
    ///   - request: The request. Under a policy, the same request joins a first load that is in flight, and another one
    ///     replaces it.
    ///   - cause: For definitions, a cause other than a request fetches in any case.
    ///   - fromStart: True to load a list again from its first page.
    func ask(
        _ definition: QueryDefinition<Value>, with request: some Sendable, _ cause: Cause, fromStart: Bool = false
    ) {
        let mode: FetchMode
        let isNeeded: @Sendable (EntryTimes, StaleTime) -> Bool
        switch usage {
        case .policy(let config):
            // Attaching does not fetch by itself: the definitions that this module makes turn that off.
            mode = client.mode(ofFetching: definition.key, with: request)
            let usesCache = config.usagePolicy == .useInsteadOfFetching
            isNeeded = { [policy = config.invalidationPolicy] times, _ in !usesCache || !policy.isValid(times) }
        case .definitions, .ofFetchingQuery:
            // Before the subscription, a fetch that attaching starts would be missed.
            if observer == nil { move(to: definition.enabled(false)) }
            mode = .join
            isNeeded = { [cause] times, staleAfter in cause != .requested || times.isStale(for: staleAfter) }
        }
        move(to: definition, fetching: AttachedFetch(cause, mode: mode, fromStart: fromStart, ifNeeded: isNeeded))
        refresh()
    }

    /// Repeats the key's newest fetch, even if a fresh value is cached, and waits until it has succeeded or failed.
    func refetch() async {
        await client.refetch(.key(snapshot.key))
        refresh()
    }

    /// Fetches a query, even if a fresh value is cached, and waits until the fetch has succeeded or failed.
    ///
    /// - Parameter request: The request. Under a policy, the same request joins a first load that is in flight, and
    ///   another one replaces it.
    func refetch(_ definition: QueryDefinition<Value>, with request: some Sendable) async {
        let mode: FetchMode =
            if case .policy = usage { client.mode(ofFetching: definition.key, with: request) } else { .restart }
        // The entry fetches with the newest definition, and another query may have asked for its key since.
        observe(definition)
        await client.refetch(.key(definition.key), cause: .requested, mode: mode)
        refresh()
    }

    func settle() async {
        await client.settle(.key(snapshot.key))
        refresh()
    }

    func refresh() {
        guard let newest = observer?.snapshot else { return }
        apply(newest)
    }

    private nonisolated func receive(_ snapshot: Snapshot<Value>) {
        if MainActor.isCurrent {
            return MainActor.assumeIsolated { apply(snapshot) }
        }
        // The observer may have moved to another key by the time the action runs, so the snapshot itself is not used.
        scheduler.schedule { [weak self] in self?.refresh() }
    }

    /// Applies a snapshot. Notifies observers of it if it changes what a view can show.
    ///
    /// The version also increases when another observer of the key attaches or changes its options, which no view can
    /// show.
    private func apply(_ newest: Snapshot<Value>) {
        guard isNews(newest) else { return }
        guard !phase(of: newest).isSame(as: phase) || !newest.looks(like: snapshot) else { return take(newest) }
        notifier.change {
            // An observer that was notified may have caused a newer snapshot, which has then been applied already.
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
            newest, config: usage.config(for: newest), hadValue: isSameKey && phase.showsValue)
    }

    private func isNews(_ newest: Snapshot<Value>) -> Bool {
        !hasApplied || snapshot.key != newest.key || newest.version > snapshot.version
    }

    /// Identifies the state without comparing values.
    private var stateMark: StateMark {
        switch phase {
        case .idle: .idle
        case .loading: .loading
        case .succeed:
            .succeed(key: snapshot.key, valueVersion: snapshot.valueVersion, isPlaceholder: snapshot.isPlaceholder)
        case .failed: .failed(snapshot.entryState.failure)
        }
    }
}

/// Determines how a query uses cached values.
enum CacheUsage {
    case policy(QueryCacheConfig)
    /// The definitions that the query observes. The value stays during a fetch, and after one that failed.
    case definitions
    /// The options of the query that fetches the entry.
    case ofFetchingQuery

    fileprivate func config<Value>(for snapshot: Snapshot<Value>) -> QueryCacheConfig {
        switch self {
        case .policy(let config): config
        case .definitions: QueryCacheConfig(invalidationPolicy: .notExpires, usagePolicy: .useAndThenFetch)
        case .ofFetchingQuery: snapshot.config ?? QueryCacheConfig()
        }
    }
}

private struct ValueMark: Equatable {
    let key: QueryKey
    let version: UInt64
    /// Tells a placeholder from the failure that takes its place.
    let isPlaceholder: Bool

    init<Value>(_ snapshot: Snapshot<Value>, version: UInt64) {
        key = snapshot.key
        self.version = version
        isPlaceholder = snapshot.isPlaceholder
    }
}

private enum StateMark: Equatable {
    case idle
    case loading
    case succeed(key: QueryKey, valueVersion: UInt64, isPlaceholder: Bool)
    /// Holds the failure itself, because the number of failures starts again when the entry is reset.
    case failed(Failure?)
}

extension QueryStatePhase {
    var showsValue: Bool {
        if case .succeed = self { true } else { false }
    }

    /// True if both are the same case. Does not compare errors.
    func isSame(as other: QueryStatePhase) -> Bool {
        switch (self, other) {
        case (.idle, .idle), (.loading, .loading), (.succeed, .succeed), (.failed, .failed): true
        default: false
        }
    }
}

extension QueryCacheConfig.InvalidationPolicy {
    /// True if there is a value that is valid by the policy.
    fileprivate func isValid(_ times: EntryTimes) -> Bool {
        guard let writtenAt = times.writtenAt, !times.isInvalidated else { return false }
        return isValid(age: writtenAt.duration(to: times.now).inSeconds)
    }
}
