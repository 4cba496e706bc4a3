import PigeonCore
import TestSupport
import Testing

@Suite("The entry: writes, cached records, invalidation, reset")
struct EntryWriting {
    static let writes: [Row] = [
        Row(.empty, "a write", .write("Bea"), "Bea, idle", "written (written)", "persist", "notify"),
        Row(.content, "a write", .write("Bea"), "Bea, idle", "written (written)", "persist", "notify"),
        Row(.loading, "a write", .write("Bea"), "Bea, fetching 1", "written (written)", "persist", "notify"),
        Row(.refetchFailed, "a write", .write("Bea"), "Bea, idle", "written (written)", "persist", "notify"),
        Row(.empty, "a cached record", .hydrate("Bea"), "Bea, idle", "hydrated (cached)", "notify"),
        Row(
            .empty, "a stale cached record", .hydrate("Bea", isStale: true), "Bea, idle, invalidated",
            "hydrated (cached)", "notify"),
        Row(.loading, "a cached record", .hydrate("Bea"), "Bea, fetching 1", "hydrated (cached)", "notify"),
        Row(.content, "a cached record", .hydrate("Bea"), "Ann, idle"),
    ]

    @Test(
        "writes are successes without a fetch; records fill only what is empty", .rule("T84", "T65"), arguments: writes)
    func writesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test(
        "the fetch under way wins over a write, unless the write is to be kept", .rule("A21"),
        arguments: [
            (false, "Cid, idle", "fresh (requested)"), (true, "Bea, idle", "late answer dropped (written)"),
        ])
    func writeDuringFetch(_ keep: Bool, _ state: String, _ first: String) {
        var machine = Situation.refetching.machine()
        machine.receive(.write("Bea", keep: keep))
        let effects = machine.receive(.value("Cid", of: 2))
        #expect(machine.state == state)
        #expect(effects.first == first)
        #expect(effects.contains("settle value"))
    }

    @Test("a write that is kept is kept over a stream too, until the next fetch", .rule("A21"))
    func keptOverStream() {
        var machine = Situation.refetching.machine()
        machine.receive(.write("Bea", keep: true))
        #expect(machine.receive(.yield(generation: 2, .of("Cid"))) == ["late answer dropped (superseded)"])
        machine.receive(.refetchNow)
        machine.receive(.value("Dan", of: 3))
        #expect(machine.state == "Dan, idle")
    }

    @Test(
        "a record is as old as it says, and never younger than now", .rule("T65", "A4"),
        arguments: [
            (Duration.seconds(40), 60.0), (.zero, 100), (.seconds(-40), 100),
        ])
    func age(_ age: Duration, _ writtenAt: Double) {
        var machine = Situation.empty.machine()
        machine.receive(.hydrate("Bea", age: age))
        #expect(machine.entry.writtenAt == .seconds(writtenAt))
        #expect(machine.entry.valueCount == 0)
    }

    static let invalidations: [Row] = [
        Row(
            .content, "invalidating", .invalidate(), "Ann, fetching 2, invalidated", "persist stale",
            "invalidated (requested)", "fetching (invalidated by requested)", "start 2 (invalidated by requested)",
            "notify"),
        Row(
            .content, "marking only", .invalidate(.none), "Ann, idle, invalidated", "persist stale",
            "invalidated (requested)", "notify"),
        Row(
            .content, "invalidating what is unobserved", .invalidate(.inactive), "Ann, idle, invalidated",
            "persist stale", "invalidated (requested)", "notify"),
        Row(
            .unused, "invalidating", .invalidate(), "Ann, idle, invalidated", "persist stale",
            "invalidated (requested)", "notify"),
        Row(
            .unused, "invalidating what is unobserved", .invalidate(.inactive), "Ann, fetching 2, invalidated",
            "persist stale", "invalidated (requested)", "fetching (invalidated by requested)",
            "start 2 (invalidated by requested)", "notify"),
        Row(
            .unused, "invalidating all", .invalidate(.all), "Ann, fetching 2, invalidated", "persist stale",
            "invalidated (requested)", "fetching (invalidated by requested)", "start 2 (invalidated by requested)",
            "notify"),
        Row(.disabled, "invalidating all", .invalidate(.all), "nothing, idle, invalidated", "invalidated (requested)"),
        Row(.empty, "invalidating", .invalidate(), "nothing, idle, invalidated", "invalidated (requested)"),
        Row(
            .written, "invalidating all", .invalidate(.all), "Ann, idle, invalidated", "persist stale",
            "invalidated (requested)", "notify"),
        Row(.refetchFailed, "marking only", .invalidate(.none), "Ann, idle, invalidated, failed first"),
        Row(
            .loading, "invalidating", .invalidate(), "nothing, fetching 1, invalidated", "invalidated (requested)",
            "joined (invalidated by requested)"),
        Row(
            .refetching, "invalidating", .invalidate(), "Ann, fetching 3, invalidated", "persist stale",
            "invalidated (requested)", "cancelled (superseded)", "stop 2", "fetching (invalidated by requested)",
            "start 3 (invalidated by requested)", "notify"),
    ]

    @Test("invalidation marks once, and refetches what it is told to", .rule("T78", "T80"), arguments: invalidations)
    func invalidatesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("what one observer wants fixed is marked but not refetched", .rule("T80"))
    func fixed() {
        var machine = Situation.content.machine { $0.staleAfter = .immutable }
        #expect(machine.receive(.invalidate()) == ["persist stale", "invalidated (requested)", "notify"])
    }

    static let resets: [Row] = [
        Row(.content, "a reset", .reset(initial: nil, .requested), "nothing, idle", "notify"),
        Row(.refetchFailed, "a reset", .reset(initial: nil, .requested), "nothing, idle", "notify"),
        Row(.optimistic, "a reset", .reset(initial: nil, .requested), "nothing, idle", "notify"),
        Row(.content, "a reset to a value", .reset(initial: PayloadOf("Bea"), .requested), "Bea, idle", "notify"),
        Row(
            .loading, "a reset", .reset(initial: nil, .cleared), "nothing, idle", "stop 1", "cancelled (cleared)",
            "settle cancelled", "notify"),
        Row(
            .loadingPage, "a reset", .reset(initial: nil, .cleared), "nothing, idle", "stop 2", "cancelled (cleared)",
            "settle next page cancelled", "notify"),
    ]

    @Test("a reset forgets value, error, layers and counts", .rule("T82"), arguments: resets)
    func resetsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("an answer asked before a reset cannot land after it", .rule("A31"))
    func lateAnswer() {
        var machine = Situation.refetching.machine()
        machine.receive(.reset(initial: nil, .cleared))
        #expect(machine.receive(.value("Bea", of: 2)) == ["late answer dropped (superseded)"])
        machine.receive(.fetchNow)
        #expect(machine.receive(.value("Bea", of: 2)) == ["late answer dropped (superseded)"])
        #expect(machine.entry.valueCount == 0)
    }

    @Test(
        "an invalidation of what was cleared fetches only if the program has asked for it", .rule("K1", "A31"),
        arguments: [
            (Cause.requested, true), (.mutation("Rename"), false), (.invalidated(by: .mutation("Rename")), false),
            (.otherProcess, false),
        ])
    func invalidatedAfterClear(_ cause: Cause, _ fetches: Bool) {
        var machine = Situation.content.machine()
        machine.receive(.clear(.cleared))
        machine.receive(.invalidate(cause, refetch: .active))
        #expect((machine.entry.flight != nil) == fetches)
    }

    @Test("what was cleared takes the record of another process once the program has asked again", .rule("K1", "A31"))
    func recordAfterClear() {
        var machine = Situation.content.machine()
        machine.receive(.clear(.cleared))
        #expect(machine.receive(.renewRecord(.of("Bea"), isStale: false)) == [])
        #expect(machine.state == "nothing, idle")
        machine.receive(.fetchNow)
        machine.receive(.renewRecord(.of("Bea"), isStale: false))
        #expect(machine.value == "Bea")
    }

    @Test("A page load that waits for a refresh does not start when both are reset")
    func resetBeforePage() {
        var machine = Situation.refetching.machine()
        machine.receive(.loadPage(.next))
        let effects = machine.receive(.reset(initial: nil, .cleared))
        #expect(!effects.contains { $0.hasPrefix("start") })
        #expect(effects.contains("settle next page cancelled"))
    }
}
