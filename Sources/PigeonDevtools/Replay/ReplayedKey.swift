internal import Foundation
internal import PigeonBase
internal import PigeonCore
internal import PigeonTesting

/// Stands for a value, because values are not recorded.
struct ReplayedValue: Codable, Sendable, Equatable {
    var number: Int
}

/// Stands for an error, because errors are not recorded.
struct ReplayedError: Error {}

/// A key of a recording, with its observers, callers and requests in the replay.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
protocol ReplayedKey: AnyObject, Sendable {
    var key: QueryKey { get }
    var observerCount: Int { get }
    /// The options of later observers and callers.
    var options: QueryOptions { get set }
    var retry: ReplayedRetry { get }
    func attach(isEnabled: Bool, quietly: Bool)
    func detach()
    func fetch(isPrefetch: Bool)
    func loadPage(_ direction: PageDirection)
    func cancelCallers()
    func read()
    func set(_ number: Int, age: Duration)
    /// Changes the value as a newer item of another entry does. Returns false if there is none.
    func takeNewerItem(_ cause: Cause) -> Bool
    func edit(_ edits: inout OptimisticEdits)
    /// Assigns the new calls of the fetcher to a fetch of the recording.
    func noteCalls(of fetch: Int?)
    /// Answers the request of a fetch. Does nothing if there is none.
    func succeed(_ fetch: Int?, with number: Int, freshFor: Duration?)
    func notModified(_ fetch: Int?)
    func fail(_ fetch: Int?)
}

/// Retries when a recording says so.
final class ReplayedRetry: Sendable {
    private let next = Locked<Duration?>(nil)

    var policy: RetryPolicy {
        RetryPolicy(
            limit: .max, delay: { _ in self.next.withLock { $0.take() } ?? .zero }, hasJitter: false,
            shouldRetry: { _ in self.next.withLock { $0 != nil } })
    }

    /// - Parameter delay: The time until the next attempt. `nil` if the next failure is the last.
    func expect(_ delay: Duration?) { next.withLock { $0 = delay } }
}

/// A key with values of a type: single ones, or lists of pages.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ReplayedKeyOf<Value: Sendable>: ReplayedKey, @unchecked Sendable {  // used only by the lab's thread
    let key: QueryKey
    let retry = ReplayedRetry()
    var options = QueryOptions()

    private let lab: QueryLab
    private let fetcher: ScriptedFetcher<ReplayedValue>
    private let base: QueryDefinition<Value>
    private let makeValue: (Int) -> Value
    private let change: @Sendable (inout Value) -> Void
    private let load: (@Sendable (QueryClient, QueryDefinition<Value>, PageDirection) async throws -> Void)?
    private var observers: [QueryObserver<Value>] = []
    private var callers: [LabTask<Void>] = []
    /// The requests that wait for an answer, with the fetches of the recording that they belong to.
    private var requests: [(fetch: Int?, call: Int)] = []
    private var noted = 0

    init(
        _ base: QueryDefinition<Value>, _ lab: QueryLab, _ fetcher: ScriptedFetcher<ReplayedValue>,
        value makeValue: @escaping (Int) -> Value, change: @escaping @Sendable (inout Value) -> Void,
        load: (@Sendable (QueryClient, QueryDefinition<Value>, PageDirection) async throws -> Void)? = nil
    ) {
        (key, self.base, self.lab, self.fetcher) = (base.key, base, lab, fetcher)
        (self.makeValue, self.change, self.load) = (makeValue, change, load)
    }

    var observerCount: Int { observers.count }

    private var definition: QueryDefinition<Value> {
        var options = options
        options.retry = retry.policy
        return base.options { [options] in $0 = options }
    }

    // MARK: The program

    func attach(isEnabled: Bool, quietly: Bool) {
        let definition = definition.enabled(isEnabled)
        guard quietly else { return observers.append(lab.client.observe(definition)) }
        let observer = lab.client.observe(definition.options { $0.fetchesOnAttach = false })
        observer.observe(definition)
        observers.append(observer)
    }

    func detach() {
        if !observers.isEmpty { observers.removeLast().cancel() }
    }

    func fetch(isPrefetch: Bool) {
        let (client, definition) = (lab.client, definition)
        callers.append(
            lab.start {
                if isPrefetch { await client.prefetch(definition) } else { _ = try? await client.refetch(definition) }
            })
    }

    func loadPage(_ direction: PageDirection) {
        guard let load else { return }
        let (client, definition) = (lab.client, definition)
        callers.append(lab.start { try? await load(client, definition, direction) })
    }

    func cancelCallers() {
        for caller in callers { caller.cancel() }
        callers = []
        lab.settle()
    }

    func read() {
        _ = lab.client.value(of: definition)
        lab.settle()
    }

    func set(_ number: Int, age: Duration) {
        try? lab.client.set(makeValue(number), age: age, for: definition, during: .keep)
        lab.settle()
    }

    func takeNewerItem(_ cause: Cause) -> Bool {
        defer { lab.settle() }
        return lab.client.takeNewerItem(at: key, as: Value.self, cause, change)
    }

    func edit(_ edits: inout OptimisticEdits) { edits.update(definition, change) }

    // MARK: The server

    func noteCalls(of fetch: Int?) {
        let waiting = fetcher.pending.map(\.index)
        requests.removeAll { !waiting.contains($0.call) }
        for call in waiting where call >= noted { requests.append((fetch, call)) }
        noted = fetcher.calls.count
    }

    func succeed(_ fetch: Int?, with number: Int, freshFor: Duration?) {
        let before = valueCount
        // A list asks for one page after the other.
        while let call = take(fetch) {
            fetcher.end(call) { context in
                if let freshFor { context?.isFresh(for: freshFor) }
                return ReplayedValue(number: number)
            }
            guard load != nil, valueCount == before else { return }
            noteCalls(of: fetch)
        }
    }

    private var valueCount: Int? { lab.client.report(of: key)?.valueCount }

    func notModified(_ fetch: Int?) {
        guard let call = take(fetch) else { return }
        fetcher.end(call) { context in try context?.notModified() ?? ReplayedValue(number: 0) }
    }

    func fail(_ fetch: Int?) {
        if let call = take(fetch) { fetcher.fail(call, with: ReplayedError()) }
    }

    /// Takes the request of a fetch, or else the oldest request without a known fetch.
    private func take(_ fetch: Int?) -> Int? {
        noteCalls(of: nil)
        let index = requests.firstIndex { $0.fetch == fetch } ?? requests.firstIndex { $0.fetch == nil }
        return index.map { requests.remove(at: $0).call }
    }
}
