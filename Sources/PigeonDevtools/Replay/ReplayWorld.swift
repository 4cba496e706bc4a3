internal import Foundation
internal import PigeonBase
internal import PigeonCore
internal import PigeonTesting

/// Repeats a recording in a lab.
///
/// Time goes from one recorded step to the next. If the client has done by itself what was recorded, nothing else happens.
/// Otherwise, the world does what must have come from outside.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ReplayWorld {
    let recording: Recording
    private let change: (QueryKey, inout QueryOptions) -> Void
    /// Has the values that the recorded client found in its cache.
    let cache = InMemoryQueryCache()
    let lab: QueryLab
    var keys: [String: any ReplayedKey] = [:]
    var mutations: [Int: LabTask<Void>] = [:]
    let server: ScriptedFetcher<Void>
    var number = 0
    var gaps: [String] = []
    /// The events of the replay that are not matched with a recorded one yet.
    var unmatched: [QueryEvent] = []
    private var seen = 0
    var differences: [Replay.Difference] = []
    var recordedCount = 0

    init(_ recording: Recording, _ change: @escaping (QueryKey, inout QueryOptions) -> Void) {
        (self.recording, self.change) = (recording, change)
        lab = QueryLab(cache: cache)
        server = lab.fetcher(returning: Void.self)
    }

    func run() -> Replay {
        begin()
        for (index, step) in recording.steps.enumerated() {
            advance(to: step.time)
            switch step.step {
            case .event(let event): repeatEvent(event, at: index)
            case .row(let row): adopt(row)
            case .surroundings(let surroundings): adopt(surroundings)
            }
        }
        takeEvents()
        for event in unmatched where !kindsLeftOut.contains(event.kind.name) { note(event) }
        noteGaps()
        return Replay(
            recordedCount: recordedCount, log: lab.log,
            differences: differences.sorted { $0.time < $1.time }, gaps: gaps)
    }

    // MARK: Time

    func advance(to time: Duration) {
        let now = Duration.nanoseconds(lab.clock.now().nanoseconds)
        if time > now { lab.advance(by: time - now) } else { lab.settle() }
        takeEvents()
    }

    func takeEvents() {
        let events = lab.events
        unmatched += events[seen...]
        seen = events.count
    }

    // MARK: Entries

    /// Brings the entries to the state in which the recording begins.
    private func begin() {
        adopt(recording.surroundingsAtStart)
        let rows = recording.initial.sorted { ($0.updatedAt ?? .infinity) < ($1.updatedAt ?? .infinity) }
        for row in rows {
            if let updatedAt = row.updatedAt {
                advance(to: min(Duration(recordedMilliseconds: updatedAt), recording.start))
            }
            let key = replayed(row)
            // The value may be older than the program.
            if let updatedAt = row.updatedAt { key.set(0, age: Duration(recordedMilliseconds: -updatedAt)) }
            adopt(row, quietly: true)
        }
        advance(to: recording.start)
        for row in rows { bringOn(row) }
        takeEvents()
        unmatched = []
    }

    func adopt(_ surroundings: RecordedSurroundings) {
        lab.setOnline(surroundings.isOnline)
        lab.setActive(surroundings.isActive)
    }

    private func bringOn(_ row: RecordedRow) {
        let key = replayed(row)
        if row.error != nil {
            key.retry.expect(nil)
            key.fetch(isPrefetch: true)
            key.fail(nil)
        }
        let report = lab.client.report(of: key.key)
        if row.state == "stale", let report, !report.isStale(at: lab.clock.now()) {
            lab.client.invalidate(.key(key.key), refetch: .none, cause: .requested)
        }
        if row.activity != "idle" { key.fetch(isPrefetch: false) }
    }

    /// Applies changes that caused no event: of observers, options and faults.
    private func adopt(_ row: RecordedRow, quietly: Bool = false) {
        let key = replayed(row)
        key.options = options(of: row, key.key)
        while key.observerCount > row.observerCount { key.detach() }
        while key.observerCount < row.observerCount {
            key.attach(isEnabled: key.observerCount >= row.disabled ?? 0, quietly: quietly)
        }
        // The delay of a slow fetch is not recorded. Its answer comes at its recorded time.
        lab.client.setFault(FetchFault(named: row.fault, delay: nil), for: .key(key.key))
        lab.settle()
        takeEvents()
    }

    private func options(of row: RecordedRow, _ key: QueryKey) -> QueryOptions {
        var options = row.options.flatMap { recording.options[$0]?.options } ?? QueryOptions()
        change(key, &options)
        return options
    }

    private func replayed(_ row: RecordedRow) -> any ReplayedKey {
        if let known = keys[row.key] { return known }
        let key = make(QueryKey(row.path).adding(tags: row.tags), isPaged: row.isPaged)
        key.options = options(of: row, key.key)
        keys[row.key] = key
        return key
    }

    /// The key of an event. Its row usually comes later.
    func replayed(_ name: String, after index: Int) -> any ReplayedKey {
        if let known = keys[name] { return known }
        if let row = nextRow(of: name, after: index) { return replayed(row) }
        gaps.append("The options of \(name) are not recorded, because it was removed too soon.")
        let key = make(QueryKey([name]), isPaged: false)
        keys[name] = key
        return key
    }

    private func make(_ key: QueryKey, isPaged: Bool) -> any ReplayedKey {
        let fetcher = lab.fetcher(returning: ReplayedValue.self)
        guard isPaged else {
            let definition = QueryDefinition(key, fetch: fetcher.fetch)
            let isHydrated = recording.events[key.queryKeyValue]?.contains { $0.event.kind == "hydrated" } ?? false
            return ReplayedKeyOf(
                isHydrated ? definition.persisted() : definition, lab, fetcher,
                value: ReplayedValue.init, change: { $0.number += 1_000_000 })
        }
        let pages = QueryDefinition<Pages<ReplayedValue, Int>>.pages(
            key: key, first: 0, fetch: { page, _ in try await fetcher.call(page) }, next: { $1 + 1 },
            previous: { $1 - 1 })
        return ReplayedKeyOf(
            pages, lab, fetcher,
            value: { Pages([.init(id: 0, page: ReplayedValue(number: $0))], nextID: 1, previousID: -1) },
            change: { pages in
                if !pages.isEmpty { pages.updatePage(at: 0) { $0.number += 1_000_000 } }
            },
            load: { client, list, direction in
                switch direction {
                case .next: _ = try await client.fetchNextPage(of: list)
                case .previous: _ = try await client.fetchPreviousPage(of: list)
                }
            })
    }
}
