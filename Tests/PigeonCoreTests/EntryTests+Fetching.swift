import PigeonCore
import TestSupport
import Testing

@Suite("The entry: fetching and cancelling")
struct EntryFetching {
    static let fetching: [Row] = [
        Row(
            .empty, "a fetch", .fetchNow, "nothing, fetching 1", "fetching (requested)", "start 1 (requested)",
            "notify"),
        Row(
            .content, "a fetch", .fetchNow, "Ann, fetching 2", "fetching (requested)", "start 2 (requested)", "notify"),
        Row(
            .content, "a fetch from the start", .fetch(.requested, mode: .join, fromStart: true), "Ann, fetching 2",
            "fetching (requested)", "start 2 from start (requested)", "notify"),
        Row(
            .failed, "a fetch", .fetchNow, "nothing, fetching 2, invalidated, failed first", "fetching (requested)",
            "start 2 (requested)", "notify"),
        Row(
            .refetchFailed, "a fetch", .fetchNow, "Ann, fetching 3, invalidated, failed first",
            "fetching (requested)", "start 3 (requested)", "notify"),
        Row(.loading, "a fetch", .fetchNow, "nothing, fetching 1", "joined (requested)"),
        Row(.loading, "a refetch", .refetchNow, "nothing, fetching 1", "joined (requested)"),
        Row(.loadingOffline, "a fetch", .fetchNow, "nothing, paused 1", "joined (requested)"),
        Row(.backingOff, "a refetch", .refetchNow, "nothing, fetching 1 failed 1", "joined (requested)"),
        Row(.refetching, "a fetch", .fetchNow, "Ann, fetching 2", "joined (requested)"),
        Row(
            .refetching, "a refetch", .refetchNow, "Ann, fetching 3", "cancelled (superseded)", "stop 2",
            "fetching (requested)", "start 3 (requested)", "notify"),
        Row(
            .refetchBackingOff, "a refetch", .refetchNow, "Ann, fetching 3", "cancelled (superseded)",
            "fetching (requested)", "start 3 (requested)", "notify"),
        Row(
            .refetchingOffline, "a refetch", .refetchNow, "Ann, paused 3", "cancelled (superseded)",
            "paused (requested)", "notify"),
        Row(
            .loadingPage, "a refetch", .refetchNow, "Ann, fetching 3", "stop 2", "fetching (requested)",
            "start 3 (requested)", "notify"),
        Row(
            .loading, "a fetch from the start", .fetch(.requested, mode: .join, fromStart: true), "nothing, fetching 1",
            "joined (requested)"),
        Row(
            .refetching, "a fetch from the start", .fetch(.requested, mode: .join, fromStart: true), "Ann, fetching 3",
            "cancelled (superseded)", "stop 2", "fetching (requested)", "start 3 from start (requested)", "notify"),
    ]

    @Test("a fetch starts, joins or replaces", .rule("T3", "T4", "T28", "T29", "T30", "A87"), arguments: fetching)
    func fetchesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test(
        "a fetch that joins, follows or replaces one from the start is from the start too", .rule("A87"),
        arguments: [false, true])
    func startsOver(isAwaited: Bool) {
        var machine = Situation.content.machine()
        if isAwaited { machine.receive(.join) }
        machine.receive(.fetch(.requested, mode: .join, fromStart: true))
        #expect(machine.receive(.fetch(.requested, mode: .join, fromStart: true)) == ["joined (requested)"])
        // The answer is from before the edit, so it is dropped.
        machine.receive(.edit("Bea"))
        #expect(machine.receive(.value("Cid", of: 2)).contains("start 3 from start (written)"))
        #expect(machine.receive(.refetchNow).contains("start 4 from start (requested)"))
    }

    static let cancelling: [Row] = [
        Row(.empty, "a cancel", .cancel(.requested), "nothing, idle"),
        Row(.content, "a cancel", .cancel(.requested), "Ann, idle"),
        Row(.refetchFailed, "a cancel", .cancel(.requested), "Ann, idle, invalidated, failed first"),
        Row(
            .loading, "a cancel", .cancel(.requested), "nothing, idle", "stop 1", "cancelled (requested)",
            "settle cancelled", "notify"),
        Row(
            .loadingForWaiter, "a cancel", .cancel(.requested), "nothing, idle", "stop 1", "cancelled (requested)",
            "settle cancelled", "notify"),
        Row(
            .refetching, "a cancel", .cancel(.requested), "Ann, idle", "stop 2", "cancelled (requested)",
            "settle cancelled", "notify"),
        Row(
            .refetchBackingOff, "a cancel", .cancel(.requested), "Ann, idle", "cancelled (requested)",
            "settle cancelled", "notify"),
        Row(
            .loadingOffline, "a cancel", .cancel(.requested), "nothing, idle", "cancelled (requested)",
            "settle cancelled", "notify"),
    ]

    @Test("cancelling changes nothing but the activity", .rule("A2", "T47", "T51"), arguments: cancelling)
    func cancelsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test(
        "offline, only a fetch that asks for the network waits for it", .rule("T39", "T40", "T41"),
        arguments: [
            (NetworkMode.online, ["paused (requested)", "notify"]),
            (.offlineFirst, ["fetching (requested)", "start 1 (requested)", "notify"]),
            (.always, ["fetching (requested)", "start 1 (requested)", "notify"]),
        ])
    func startsOffline(_ mode: NetworkMode, _ effects: [String]) {
        var machine = Machine { $0.networkMode = mode }
        machine.isOnline = false
        #expect(machine.receive(.fetchNow) == effects)
    }

    @Test("a fetch that starts has no failed attempts", .rule("T3"))
    func startsClean() {
        var machine = Situation.refetchBackingOff.machine()
        #expect(machine.entry.flight?.failures == 1)
        machine.receive(.refetchNow)
        #expect(machine.entry.flight?.failures == 0)
        #expect(machine.entry.flight?.lastFailure == nil)
    }

    @Test("Each fetch has a generation of its own, also after a cancel and a reset")
    func generationsGrow() {
        var machine = Machine()
        var seen: [UInt64] = []
        for input in [EntryInput.fetchNow, .cancel(.requested), .fetchNow, .reset(initial: nil, .cleared), .fetchNow] {
            machine.receive(input)
            if let flight = machine.entry.flight { seen.append(flight.generation) }
        }
        #expect(seen == seen.sorted() && Set(seen).count == 3)
    }

    @Test("A time limit that passes ends the fetch as a failure, retries included")
    func timeLimit() {
        var machine = Machine { $0.timeLimit = .seconds(10) }
        machine.receive(.observe { $0.timeLimit = .seconds(10) })
        #expect(machine.due == 10)
        machine.pass(4)
        machine.receive(.failure(of: 1, retryIn: .seconds(60)))
        #expect(machine.due == 6)
        let effects = machine.pass(6)
        #expect(effects.first == "cancelled (time limit)")
        #expect(!effects.contains("stop 1"), "no attempt runs while it backs off")
        #expect(machine.entry.failure?.error as? QueryError == .timedOut(key: "users", limit: .seconds(10)))
        #expect(machine.entry.activity == .idle)
    }

    @Test("A time limit stops the attempt that runs")
    func timeLimitStops() {
        var machine = Machine { $0.timeLimit = .seconds(10) }
        machine.receive(.join)
        machine.receive(.fetchNow)
        #expect(machine.pass(10).prefix(2) == ["stop 1", "cancelled (time limit)"])
    }

    @Test("A time limit that is not positive is none", arguments: [Duration.zero, .seconds(-1)])
    func noTimeLimit(_ limit: Duration) {
        var machine = Machine { $0.timeLimit = limit }
        machine.receive(.fetchNow)
        #expect(machine.due == nil)
    }

    @Test("Nothing is made for the event stream when nobody listens")
    func noEvents() {
        var machine = Machine()
        machine.wantsEvents = false
        #expect(machine.receive(.fetchNow) == ["start 1 (requested)", "notify"])
    }
}
