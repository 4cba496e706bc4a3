import PigeonCore
import PigeonTesting
import Testing

@Suite("Observers that see every version")
struct EveryVersionTests {
    let lab = QueryLab()
    private let definition = QueryDefinition<String>(key: "users", fetcher: nil)

    /// Records the values that an observer receives.
    private final class Log: Sendable {
        private let seen = Locked<[String]>([])
        var all: [String] { seen.withLock { $0 } }

        func note(_ entryState: EntryState) {
            let value = (entryState.payload as? PayloadOf<String>)?.value
            seen.withLock { $0.append(value ?? "nothing") }
        }
    }

    private func set(_ value: String) throws {
        try lab.client.set(value, age: .zero, for: definition, during: .keep)
    }

    private func watch(
        everyVersion: Bool = true, _ log: Log, then action: @escaping @Sendable (EntryState) -> Void = { _ in }
    ) -> ObserverCore {
        let note: @Sendable (EntryState) -> Void = { entryState in
            log.note(entryState)
            action(entryState)
        }
        return everyVersion
            ? lab.client.attach(definition, recorder: EveryVersion(note))
            : lab.client.attach(definition) { entryState, _ in note(entryState) }
    }

    @Test("Versions that are recorded during a delivery are delivered after it, each once, in order")
    func reentrant() throws {
        let (every, newest, count) = (Log(), Log(), Log())
        let first = watch(every) { [lab, definition] entryState in
            guard (entryState.payload as? PayloadOf<String>)?.value == "1" else { return }
            count.note(entryState)
            for value in ["2", "3", "4"] {
                try? lab.client.set(value, age: .zero, for: definition, during: .keep)
            }
        }
        let second = watch(everyVersion: false, newest)
        try set("1")
        #expect(every.all == ["1", "2", "3", "4"])
        #expect(newest.all == ["1", "2", "3", "4"], "other observers are called before it")
        #expect(count.all == ["1"])
        lab.client.detach(first)
        lab.client.detach(second)
    }

    @Test("others see the newest only")
    func newestOnly() throws {
        let log = Log()
        let core = watch(everyVersion: false, log) { [lab, definition] entryState in
            guard (entryState.payload as? PayloadOf<String>)?.value == "1" else { return }
            for value in ["2", "3", "4"] {
                try? lab.client.set(value, age: .zero, for: definition, during: .keep)
            }
        }
        try set("1")
        #expect(log.all == ["1", "4"])
        lab.client.detach(core)
    }

    @Test("one that comes is told of what changes from then on")
    func newcomer() throws {
        let (one, two) = (Log(), Log())
        let first = watch(one)
        try set("1")
        let second = watch(two)
        try set("2")
        #expect(one.all == ["1", "2"])
        #expect(two.all == ["2"])
        lab.client.detach(first)
        try set("3")
        #expect(two.all == ["2", "3"])
        #expect(one.all == ["1", "2"])
        lab.client.detach(second)
    }

    @Test("many threads that change an entry are seen in the order of its versions, none left out")
    func threads() async throws {
        let versions = Locked<[UInt64]>([])
        let client = QueryClient()
        let core = client.attach(
            definition, recorder: EveryVersion { entryState in versions.withLock { $0.append(entryState.version) } })
        let start = client.entryState(of: definition.key, as: String.self)?.version ?? 0
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { [definition] in
                    for number in 0..<100 {
                        try? client.set("\(task) \(number)", age: .zero, for: definition, during: .keep)
                    }
                }
            }
        }
        let seen = versions.withLock { $0 }
        #expect(seen == Array((start + 1)...(start + 800)))
        client.detach(core)
    }

    @Test("An observer that has detached retains none of the versions that it has recorded")
    func memory() throws {
        let definition = QueryDefinition<Held>(key: "held", fetcher: nil)
        let freed = Freed()
        let cores = Locked<[ObserverCore]>([])
        let follower = EveryVersion { [client = lab.client] _ in
            let leaving = cores.withLock { cores in
                defer { cores = [] }
                return cores
            }
            guard !leaving.isEmpty else { return }
            // This value would be delivered next, but the observer detaches before that.
            try? client.set(Held(freed), age: .zero, for: definition, during: .keep)
            for core in leaving { client.detach(core) }
        }
        let core = lab.client.attach(definition, recorder: follower)
        cores.withLock { $0 = [core] }
        for _ in 0..<2 { try lab.client.set(Held(freed), age: .zero, for: definition, during: .keep) }
        #expect(freed.count.withLock { $0 } == 2)
    }

    private final class Freed: Sendable {
        let count = Locked(0)
    }

    private final class Held: Sendable {
        private let freed: Freed

        init(_ freed: Freed) {
            self.freed = freed
        }

        deinit {
            freed.count.withLock { $0 += 1 }
        }
    }
}

/// Calls a closure with every version after the first one, one at a time and in order.
final class EveryVersion: VersionRecorder {
    private let body: @Sendable (EntryState) -> Void
    private let state = Locked<(hasFirst: Bool, waiting: [EntryState], isCalling: Bool)>((false, [], false))

    init(_ body: @escaping @Sendable (EntryState) -> Void) {
        self.body = body
    }

    func record(_ entryState: EntryState) -> EntryState? {
        state.withLock { state in
            if state.hasFirst { state.waiting.append(entryState) } else { state.hasFirst = true }
            return nil
        }
    }

    func deliverRecorded() {
        let isFirst = state.withLock { state in
            defer { state.isCalling = true }
            return !state.isCalling
        }
        guard isFirst else { return }
        while let next = next() { body(next) }
    }

    private func next() -> EntryState? {
        state.withLock { state in
            state.isCalling = !state.waiting.isEmpty
            return state.isCalling ? state.waiting.removeFirst() : nil
        }
    }
}
