package import PigeonCore

/// A key in a simulation: the operations on it, and its model.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedSubject: @unchecked Sendable {  // used only by the thread that runs the simulation
    package let key: QueryKey
    let isPersisted: Bool
    package let options: QueryOptions
    /// True if definitions that are made alike have equal options. Each closure of a retry policy differs from every
    /// other one.
    package let isReproducible: Bool
    var mutationRetry = RetryPolicy.never
    /// True if a cancelled fetch continues to run.
    package internal(set) var isDeaf = false
    /// True if values with the same content are equal, whichever call returned them.
    package internal(set) var isPlain = false
    /// True if values contain their call and their edits.
    package let isKnown: Bool

    // The operations on the key.

    let observe: (QueryClient, _ isEnabled: Bool) -> SimulatedWatch
    let move: (SimulatedWatch) -> Void
    let fetch: @Sendable (QueryClient, SimulatedFetch) async throws -> Payload
    let fetchBeside: (QueryClient) -> Void
    package let see: (Payload) -> SeenValue?
    let look: (QueryClient) -> (seen: SeenValue?, age: Duration?)
    package internal(set) var set: ((QueryClient, _ stamp: Int, WritePolicy) -> Void)?
    var update: ((QueryClient, WritePolicy, _ stamp: @escaping () -> Int) -> Bool)?
    var mutate: (@Sendable (SimulatedSubject, QueryClient, Int, SimulatedEditStyle) async throws -> Void)?
    var paging: SimulatedPaging?
    var source: SimulatedSource?
    var sourceDefinition: (@Sendable () -> QueryDefinition<SimulatedValue>)?
    /// Returns the server's current value, in the form that the key would show.
    var truth: ((SeenValue) -> SeenValue)?

    /// The text of the key, by which scripts name it.
    package var name: String { key.queryKeyValue }

    /// True if the rules can determine the edits of a value.
    var showsEdits: Bool { isKnown || mutate != nil }

    package var isList: Bool { paging != nil }
    package var hasSource: Bool { source != nil }

    // The model of the key. See `SimulatedModel`.

    package internal(set) var model = SimulatedModel()
    /// The values that the server returned for edits.
    var answers: [Int: SimulatedValue] = [:]
    /// True if the last call of ``seen(_:)`` received another payload than the one before.
    private(set) var isNew = false
    private var lastSeen: (payload: Payload, seen: SeenValue?)?

    init<Value: Sendable>(
        hooks: SimulatedHooks, isKnown: Bool, _ make: @escaping @Sendable () -> QueryDefinition<Value>,
        see: @escaping @Sendable (Value) -> SeenValue
    ) {
        let first = make()
        self.isKnown = isKnown
        key = first.key
        options = Self.options(of: first)
        isReproducible = options.differences(in: Self.options(of: make())).isEmpty
        isPersisted = first.extras?.persistence != nil
        self.see = { ($0 as? PayloadOf<Value>).map { see($0.value) } }
        look = { client in
            let snapshot = client.snapshot(of: make())
            return (snapshot.value.map(see), snapshot.age)
        }
        let key = key
        observe = { client, isEnabled in
            let recorder = SimulatedObserver(key: key)
            let definition = isEnabled ? make() : make().enabled(false)
            let handle = client.observe(definition) { snapshot in
                recorder.see(snapshot)
                if let value = snapshot.value { hooks.world?.checkSeen(see(value), of: snapshot.key) }
                hooks.reach(.observer)
            }
            return SimulatedWatch(recorder: recorder, handle: handle)
        }
        move = { watch in
            guard let handle = watch.handle as? QueryObserver<Value>, watch.recorder.key != key else { return }
            // Done before the move, because the observer is notified of the new key during the move.
            let recorders = [watch.recorder] + watch.iterations.map(\.recorder)
            for recorder in recorders { recorder.move(to: key) }
            handle.observe(make())
            // An iteration may have received a snapshot of the old key that it has not processed yet.
            watch.recorder.endMove()
        }
        fetch = { client, how in
            let definition = make()
            guard definition.fetcher?.source == nil else {
                switch how {
                case .refetch: return PayloadOf(try await client.refetch(definition))
                case .fetch, .prefetch, .beside:
                    return PayloadOf(try await client.consult(definition, .ifStale(.requested)))
                case .ensure: return PayloadOf(try await client.consult(definition, .always(.requested)))
                }
            }
            switch how {
            case .fetch: return PayloadOf(try await client.fetch(definition))
            case .refetch, .beside: return PayloadOf(try await client.refetch(definition))
            case .ensure: return PayloadOf(try await client.fetch(definition, .cacheFirst))
            case .prefetch:
                await client.prefetch(definition)
                return .nothing
            }
        }
        fetchBeside = { _ = try? $0.beginFetch(make(), .requested) }
    }

    private static func options<Value>(of definition: QueryDefinition<Value>) -> QueryOptions {
        var options = QueryOptions()
        definition.overrides?.apply(to: &options)
        return options
    }

    /// Returns the parts of a payload that the rules check. Caches the last result, because most steps change only one
    /// key.
    func seen(_ payload: Payload?) -> SeenValue? {
        isNew = payload != nil
        guard let payload else { return nil }
        if let lastSeen, lastSeen.payload === payload {
            isNew = false
            return lastSeen.seen
        }
        let seen = see(payload)
        lastSeen = (payload, seen)
        return seen
    }

    func forgetSeen() { lastSeen = nil }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedWatch {
    package let recorder: SimulatedObserver
    let handle: AnyObject
    package let shown: () -> (version: UInt64, age: Duration?, isStale: Bool)
    let setEnabled: (Bool) -> Void
    let iterate: (SimulatedObserver, @escaping @Sendable () -> Void) -> @Sendable () async -> Void
    var iterations: [(recorder: SimulatedObserver, task: Task<Void, Never>)] = []

    init<Value: Sendable>(recorder: SimulatedObserver, handle: QueryObserver<Value>) {
        self.recorder = recorder
        self.handle = handle
        shown = {
            let snapshot = handle.snapshot
            return (snapshot.version, snapshot.age, snapshot.isStale)
        }
        setEnabled = {
            recorder.noteNewTerms()
            handle.setEnabled($0)
        }
        iterate = { recorder, reach in
            // Created at once, and not when the task runs.
            let iterator = UncheckedIterator(iterator: handle.makeAsyncIterator())
            return {
                var iterator = iterator.iterator
                while let snapshot = await iterator.next() {
                    recorder.see(snapshot)
                    reach()
                }
            }
        }
    }

    private struct UncheckedIterator<Value: Sendable>: @unchecked Sendable {  // passed to the only task that reads it
        let iterator: QueryObserver<Value>.Iterator
    }
}
