import Foundation
import Pigeon
import PigeonTesting
import Testing
import ToyFace

private struct Broken: Error {}

/// Texts that effects add, in order.
private final class Log: @unchecked Sendable {  // `texts` is used only under the lock
    private let lock = NSLock()
    private var texts: [String] = []

    var all: [String] { lock.withLock { texts } }

    func add(_ text: String) { lock.withLock { texts.append(text) } }
}

@MainActor
@Suite("A face that is written outside the library")
struct ToyFaceTests {
    let lab = QueryLab()
    let fetcher: ScriptedFetcher<String>
    let user: QueryDefinition<String>

    init() {
        fetcher = lab.fetcher(returning: String.self)
        user = QueryDefinition("users", 1, fetch: fetcher.fetch)
    }

    // MARK: Signals

    @Test func `a signal shows the known value at once`() throws {
        try lab.client.set("Ann", for: user)
        let signal = Signal(user.staleAfter(.never), lab.client)
        #expect(signal() == "Ann")
        #expect(!signal.isLoading)
        #expect(fetcher.calls.isEmpty)
    }

    @Test func `a signal without a value fetches it`() {
        let signal = Signal(user, lab.client)
        #expect(signal() == nil)
        #expect(signal.isLoading)
        fetcher.succeed(with: "Ann")
        #expect(signal() == "Ann")
        #expect(!signal.isLoading)
    }

    @Test func `a signal and a query of the same key share one fetch and one value`() {
        let signal = Signal(user, lab.client)
        let query = Query(user, client: lab.client)
        fetcher.succeed(with: "Ann")
        #expect(signal() == "Ann" && query.value == "Ann")
        #expect(fetcher.calls.count == 1)
        signal.refresh()
        fetcher.succeed(with: "Bea")
        #expect(signal() == "Bea" && query.value == "Bea")
        #expect(fetcher.calls.count == 2)
    }

    @Test func `the events name signals as the cause, and queries as before`() {
        let signal = Signal(user, lab.client)
        fetcher.succeed(with: "Ann")
        signal.refresh()
        fetcher.succeed(with: "Bea")
        let query = Query(user, client: lab.client)
        fetcher.succeed(with: "Cid")
        #expect(
            lab.log.filter { $0.contains("fetching") } == [
                "users/1 fetching (observed by signal)", "users/1 fetching (requested by signal)",
                "users/1 fetching (observed)",
            ])
        #expect(query.value == signal())
    }

    @Test func `a failure keeps the value, and a success ends the error`() {
        let signal = Signal(user, lab.client)
        fetcher.succeed(with: "Ann")
        signal.refresh()
        fetcher.fail(with: Broken())
        #expect(signal() == "Ann")
        #expect(signal.error is Broken)
        signal.refresh()
        fetcher.succeed(with: "Ann")
        #expect(signal.error == nil)
    }

    @Test func `a released signal lets the entry be evicted`() {
        var signal: Signal<String>? = Signal(user, lab.client)
        fetcher.succeed(with: "Ann")
        lab.client.dropUnobserved()
        #expect(signal?.callAsFunction() == "Ann" && lab.client.count == 1)
        weak let released = signal
        signal = nil
        #expect(released == nil)
        lab.client.dropUnobserved()
        #expect(lab.client.count == 0)
    }

    // MARK: Effects

    @Test func `an effect runs at once, and once for each change of what it reads`() {
        let (signal, log) = (Signal(user, lab.client), Log())
        let shown = effect { log.add(signal() ?? "none") }
        fetcher.succeed(with: "Ann")
        #expect(log.all == ["none", "Ann"])
        signal.refresh()
        #expect(log.all.count == 2, "it does not read that a fetch runs")
        fetcher.succeed(with: "Bea")
        #expect(log.all == ["none", "Ann", "Bea"])
        signal.refresh()
        fetcher.succeed(with: "Bea")
        #expect(log.all.count == 3, "the value is the same")
        withExtendedLifetime(shown) {}
    }

    @Test func `an effect that reads the error and the value runs once when both change`() {
        let (signal, log) = (Signal(user, lab.client), Log())
        fetcher.succeed(with: "Ann")
        signal.refresh()
        fetcher.fail(with: Broken())
        let shown = effect { log.add("\(signal() ?? "none"), \(signal.error == nil ? "fine" : "broken")") }
        signal.refresh()
        fetcher.succeed(with: "Bea")
        #expect(log.all == ["Ann, broken", "Bea, fine"])
        withExtendedLifetime(shown) {}
    }

    @Test func `an effect follows the signals that it read last`() throws {
        let definitions = ["a", "b"].map { QueryDefinition<Int>.value(QueryKey(value: $0)) }
        for definition in definitions { try lab.client.set(0, for: definition) }
        let (a, b) = (Signal(definitions[0], lab.client), Signal(definitions[1], lab.client))
        let log = Log()
        let shown = effect { log.add("\(a() == 0 ? "a" : "b\(b() ?? -1)")") }
        try lab.client.set(1, for: definitions[1])
        #expect(log.all == ["a"], "b has not been read")
        try lab.client.set(1, for: definitions[0])
        try lab.client.set(2, for: definitions[1])
        #expect(log.all == ["a", "b1", "b2"])
        try lab.client.set(0, for: definitions[0])
        try lab.client.set(3, for: definitions[1])
        #expect(log.all == ["a", "b1", "b2", "a"])
        withExtendedLifetime(shown) {}
    }

    @Test func `an effect that changes a signal that it reads runs again after that run`() throws {
        let definition = QueryDefinition<Int>.value("count")
        try lab.client.set(0, for: definition)
        let (count, log, client) = (Signal(definition, lab.client), Log(), lab.client)
        let counting = effect {
            let now = count() ?? 0
            log.add("begin \(now)")
            if now < 2 { try? client.set(now + 1, for: definition) }
            log.add("end \(now)")
        }
        #expect(log.all == ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"])
        withExtendedLifetime(counting) {}
    }

    @Test func `a released effect does not run again`() throws {
        let definition = QueryDefinition<Int>.value("count")
        try lab.client.set(0, for: definition)
        let (count, log) = (Signal(definition, lab.client), Log())
        var counting: Effect? = effect { log.add("\(count() ?? -1)") }
        weak let released = counting
        counting = nil
        #expect(released == nil)
        try lab.client.set(1, for: definition)
        #expect(log.all == ["0"])
    }
}
