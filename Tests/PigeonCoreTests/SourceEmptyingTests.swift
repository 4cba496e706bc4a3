import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Emptying a source of truth")
struct SourceEmptyingTests {
    private let desk = SourceDesk("Ann", ignoringCancellation: true)

    /// The ways to empty the source of an entry.
    enum Way: String, CaseIterable, Sendable {
        case definition
        case client
        case remove
        case reset
    }

    private func empty(_ way: Way) {
        switch way {
        case .definition: _ = desk.clear()
        case .client:
            _ = desk.lab.start { [client = desk.client] in
                try await client.clear()
                return true
            }
        case .remove: desk.client.remove(.key("users"))
        case .reset: desk.client.reset(.key("users"))
        }
        desk.lab.settle()
    }

    @Test("Emptying empties the source, and what is shown", arguments: Way.allCases)
    func empties(_ way: Way) {
        let observer = desk.observe()
        empty(way)
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.brief == (way == .reset ? "pending…" : "pending"))
        #expect(desk.source.calls.contains("clear"))
    }

    @Test("A reset fetches what is observed again, and saves it", arguments: [false, true])
    func resetFetches(isHeld: Bool) {
        let observer = desk.observe()
        if isHeld { desk.source.hold("clear") }
        desk.client.reset(.key("users"))
        desk.server.succeed(with: "Bea")
        desk.source.release()
        #expect(desk.source.content == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A fetch asked before does not land after, in the source or on the screen", arguments: Way.allCases)
    func lateFetch(_ way: Way) {
        let observer = desk.observe()
        let task = desk.consult(.always(.requested))
        empty(way)
        #expect(task.error is CancellationError)
        desk.server.succeed(0, with: "Late")
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.value == nil)
    }

    @Test("An answer that is being saved is emptied after, and not shown", arguments: Way.allCases)
    func lateSave(_ way: Way) {
        let seen = Recorder<String?>()
        let observer = desk.client.observe(desk.user) { seen.append($0.value) }
        _ = desk.consult(.always(.requested))
        desk.source.hold("save")
        desk.server.succeed(0, with: "Late")
        empty(way)
        desk.source.release()
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.value == nil)
        #expect(!seen.all.contains("Late"))
    }

    @Test("A page asked before does not land after", arguments: Way.allCases)
    func latePage(_ way: Way) {
        let observer = desk.observe()
        let task = desk.page()
        empty(way)
        #expect(task.error is CancellationError)
        desk.pages.succeed(with: "Late")
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.value == nil)
    }

    @Test("A page that is being added is emptied after, and not shown", arguments: Way.allCases)
    func lateAddition(_ way: Way) {
        let seen = Recorder<String?>()
        let observer = desk.client.observe(desk.user) { seen.append($0.value) }
        let task = desk.page()
        desk.source.hold("add")
        desk.pages.succeed(with: "Late")
        empty(way)
        #expect(task.error is CancellationError)
        desk.source.release()
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.value == nil)
        #expect(!seen.all.contains { $0?.contains("Late") == true })
    }

    @Test("A reading that was under way goes nowhere; whoever waits for it is told", arguments: Way.allCases)
    func lateReading(_ way: Way) {
        desk.source.hold("read")
        let seen = Recorder<String?>()
        let observer = desk.client.observe(desk.user) { seen.append($0.value) }
        let task = desk.consult(.nothing)
        empty(way)
        desk.source.release()
        #expect(task.error is CancellationError)
        #expect(observer.snapshot.value == nil)
        #expect(seen.all.allSatisfy { $0 == nil })
    }

    @Test("What is asked for after is done after", arguments: Way.allCases)
    func askedAfter(_ way: Way) {
        let observer = desk.observe()
        desk.source.hold("clear")
        empty(way)
        let task = desk.consult(.ifStale(.requested))
        desk.source.release()
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(observer.snapshot.brief == "Bea")
        #expect(desk.source.content == "Bea")
    }

    @Test("A source that cannot be emptied is reported")
    func failing() {
        let observer = desk.observe()
        for way in [Way.remove, .reset] {
            desk.lab.clearLog()
            desk.source.fail("clear")
            empty(way)
            #expect(desk.lab.log.contains { $0.contains("the source could not be emptied: Trouble") })
        }
        withExtendedLifetime(observer) {}
    }

    @Test("Clearing throws what a source threw, and empties everything else all the same")
    func failingClear() {
        let other = ScriptedSource("Bea")
        let first = desk.observe()
        let second = desk.client.observe(SourceDesk.definition("others", other, desk.server, desk.pages))
        desk.source.fail("clear")
        let task = desk.lab.start { [client = desk.client] in try await client.clear() }
        #expect(task.error as? Trouble == .first)
        #expect(other.content == nil)
        #expect(first.snapshot.value == nil && second.snapshot.value == nil)
    }

    @Test("Clearing one throws what its source threw")
    func failingClearOfOne() {
        let observer = desk.observe()
        desk.source.fail("clear")
        #expect(desk.clear().error as? Trouble == .first)
        #expect(desk.source.content == "Ann")
        #expect(observer.snapshot.value == "Ann")
    }

    @Test("Clearing waits until the source is empty, and is carried through when its caller is cancelled")
    func clearWaits() {
        let observer = desk.observe()
        desk.source.hold("clear")
        let task = desk.lab.start { [client = desk.client] in
            try await client.clear()
            return true
        }
        #expect(task.result == nil)
        task.cancel()
        desk.source.release()
        #expect(task.result != nil)
        #expect(desk.source.content == nil)
        withExtendedLifetime(observer) {}
    }

    @Test("An entry that nobody observes is removed, and its source emptied")
    func unobserved() {
        _ = desk.consult(.nothing)
        desk.client.remove(.key("users"))
        #expect(desk.client.count == 0)
        #expect(desk.source.content == nil)
    }

    @Test("An entry that is dropped, or collected, leaves its source alone")
    func dropped() {
        _ = desk.consult(.nothing)
        desk.client.dropUnobserved()
        #expect(desk.client.count == 0)
        _ = desk.consult(.nothing)
        desk.lab.advance(by: .seconds(360))
        #expect(desk.client.count == 0)
        #expect(desk.source.content == "Ann")
    }

    @Test("An entry that is being read is not dropped")
    func notDropped() {
        desk.source.hold("read")
        desk.observe().cancel()
        desk.client.dropUnobserved()
        #expect(desk.client.count == 1)
        desk.source.release()
        #expect(desk.shown == "Ann")
        desk.client.dropUnobserved()
        #expect(desk.client.count == 0)
    }

    /// Makes a reading of another key occupy the queue, so that later jobs wait.
    private func holdLane() -> QueryObserver<String> {
        desk.source.hold("read")
        let other = desk.client.observe(desk.definition("others"))
        #expect(desk.source.pendingCount == 1)
        return other
    }

    @Test("A reading that waits for its turn does not bring what was there before", arguments: Way.allCases)
    func queuedReading(_ way: Way) {
        let other = holdLane()
        let seen = Recorder<String?>()
        let observer = desk.client.observe(desk.user) { seen.append($0.value) }
        empty(way)
        let task = desk.consult(.ifStale(.requested))
        desk.source.release()
        #expect(!seen.all.contains("Ann"))
        #expect(desk.server.pending.contains { $0.key == "users" })
        while desk.server.pendingCount > 0 { desk.server.succeed(with: "Bea") }
        #expect(task.value == "Bea")
        #expect(observer.snapshot.brief == "Bea")
        withExtendedLifetime(other) {}
    }

    @Test("A change of before is not shown after", arguments: Way.allCases)
    func lateChange(_ way: Way) {
        let seen = Recorder<String?>()
        let observer = desk.client.observe(desk.user) { seen.append($0.value) }
        desk.source.hold("read")
        let task = desk.change(to: "Late")
        empty(way)
        desk.source.release()
        #expect(task.value == true)
        #expect(desk.source.content == nil)
        #expect(observer.snapshot.value == nil)
        #expect(!seen.all.contains("Late"))
    }

    @Test("What was emptied takes no place in the budget", arguments: [false, true])
    func budget(isSeen: Bool) throws {
        let desk = SourceDesk(String(repeating: "a", count: 600), budget: 1_000)
        _ = desk.consult(.nothing)
        if isSeen {
            desk.source.put(nil)
            _ = desk.consult(.nothing)
        } else {
            _ = desk.clear()
        }
        try desk.client.set(String(repeating: "b", count: 600), for: "plain")
        #expect(desk.client.value(of: "plain", as: String.self) != nil)
        #expect(desk.client.count == 2)
    }
}
