import PigeonCore
import TestSupport
import Testing

@Suite("The entry: answers")
struct EntryAnswers {
    static let successes: [Row] = [
        Row(
            .loading, "its value", .value("Bea", of: 1), "Bea, idle", "fresh (observed)", "persist", "settle value",
            "notify"),
        Row(
            .loadingForWaiter, "its value", .value("Bea", of: 1), "Bea, idle", "fresh (requested)", "persist",
            "settle value", "notify"),
        Row(
            .refetching, "its value", .value("Bea", of: 2), "Bea, idle", "fresh (requested)", "persist",
            "settle value", "notify"),
        Row(
            .refetching, "not modified", .answer(generation: 2, .notModified(freshFor: nil)), "Ann, idle",
            "not modified (requested)", "persist", "settle value", "notify"),
        Row(
            .refetching, "the end of its stream", .answer(generation: 2, .finished), "Ann, idle", "fresh (requested)",
            "settle value", "notify"),
        Row(
            .loading, "a value on the way", .yield(generation: 1, .of("Bea")), "Bea, fetching 1", "persist", "notify"),
        Row(
            .refetching, "a value on the way", .yield(generation: 2, .of("Bea")), "Bea, fetching 2", "persist",
            "notify"),
    ]

    @Test("a success is shown, stored, and told to those who wait", .rule("T5", "A5"), arguments: successes)
    func succeedsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    static let failures: [Row] = [
        Row(
            .loading, "its failure", .failure(of: 1), "nothing, idle, invalidated, failed first",
            "failed: Trouble (observed)", "settle first", "notify"),
        Row(
            .refetching, "its failure", .failure(of: 2), "Ann, idle, invalidated, failed first",
            "failed: Trouble (requested)", "settle first", "notify"),
        Row(
            .loading, "a failure to be retried", .failure(of: 1, retryIn: .seconds(5)), "nothing, fetching 1 failed 1",
            "retrying in 5.0 s after Trouble (retry 1 after Trouble, observed)", "notify"),
        Row(
            .loadingForWaiter, "a failure to be retried", .failure(of: 1, retryIn: .seconds(5)),
            "nothing, fetching 1 failed 1, 1 waiting",
            "retrying in 5.0 s after Trouble (retry 1 after Trouble, requested)", "notify"),
        Row(
            .refetching, "a failure to be retried", .failure(of: 2, retryIn: .seconds(5)), "Ann, fetching 2 failed 1",
            "retrying in 5.0 s after Trouble (retry 1 after Trouble, requested)", "notify"),
        Row(
            .loading, "its fetcher's own cancellation", .answer(generation: 1, .cancelled), "nothing, idle",
            "cancelled (observed)", "settle cancelled", "notify"),
        Row(
            .refetching, "its fetcher's own cancellation", .answer(generation: 2, .cancelled), "Ann, idle",
            "cancelled (requested)", "settle cancelled", "notify"),
    ]

    @Test("a failure keeps the value; a retry keeps the state", .rule("T6", "T35", "A2"), arguments: failures)
    func failsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    static let late: [Row] = [
        Row(.empty, "a value", .value("Bea", of: 1), "nothing, idle", "late answer dropped (superseded)"),
        Row(.content, "a second value", .value("Bea", of: 1), "Ann, idle", "late answer dropped (superseded)"),
        Row(.refetching, "an older value", .value("Bea", of: 1), "Ann, fetching 2", "late answer dropped (superseded)"),
        Row(.refetching, "an older failure", .failure(of: 1), "Ann, fetching 2", "late answer dropped (superseded)"),
        Row(
            .refetching, "an older cancellation", .answer(generation: 1, .cancelled), "Ann, fetching 2"),
        Row(
            .refetching, "an older value on the way", .yield(generation: 1, .of("Bea")), "Ann, fetching 2",
            "late answer dropped (superseded)"),
        Row(
            .content, "a value on the way", .yield(generation: 1, .of("Bea")), "Ann, idle",
            "late answer dropped (superseded)"),
        Row(
            .backingOff, "the failed attempt's value", .value("Bea", of: 1), "nothing, fetching 1 failed 1",
            "late answer dropped (superseded)"),
        Row(
            .loadingOffline, "a value", .value("Bea", of: 1), "nothing, paused 1", "late answer dropped (superseded)"),
    ]

    @Test("an answer that is not the newest fetch's never lands", .rule("A7", "T46"), arguments: late)
    func dropsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("a success ends the error and the mark of being stale, and counts", .rule("T5"))
    func successClears() {
        var machine = Situation.refetchFailed.machine()
        machine.receive(.fetchNow)
        machine.receive(.value("Bea", of: 3))
        #expect(machine.state == "Bea, idle")
        #expect(machine.entry.valueCount == 2)
        #expect(machine.entry.failureCount == 1)
        #expect(machine.entry.writtenAt == .seconds(100))
    }

    @Test("a final failure counts, has its time, and makes the value stale whatever its time", .rule("T6"))
    func failureMarks() {
        var machine = Situation.fresh.machine()
        machine.receive(.fetchNow)
        #expect(!machine.entry.isStale(for: .seconds(60), at: .seconds(100)))
        machine.receive(.failure(of: 2))
        #expect(machine.entry.failureCount == 1)
        #expect(machine.entry.failedAt == .seconds(100))
        #expect(machine.entry.writtenAt == .seconds(90))
        #expect(machine.entry.isStale(for: .never, at: .seconds(100)))
    }

    @Test("with nobody interested a failure is not retried", .rule("T38"))
    func noRetryForNobody() {
        var machine = Situation.loading.machine()
        machine.receive(.detach(observer: 1))
        machine.receive(.failure(of: 1, retryIn: .seconds(5)))
        #expect(machine.state == "nothing, idle, invalidated, failed first")
    }

    @Test("an equal value keeps the old instance and its version, and renews the time", .rule("A3"))
    func equalValue() {
        var machine = Situation.refetching.machine()
        let (old, version) = (machine.entry.shown, machine.entry.valueVersion)
        machine.receive(.answer(generation: 2, .value(.of("Ann", isSame: true))))
        #expect(machine.entry.shown === old)
        #expect(machine.entry.base === old)
        #expect(machine.entry.valueVersion == version)
        #expect(machine.entry.writtenAt == .seconds(100))
    }

    @Test("another value has another version", .rule("A3"))
    func otherValue() {
        var machine = Situation.refetching.machine()
        let version = machine.entry.valueVersion
        machine.receive(.value("Bea", of: 2))
        #expect(machine.entry.valueVersion == version + 1)
    }

    @Test("the answer's own freshness counts, and the next answer's replaces it", .rule("A5"))
    func ownFreshness() {
        var machine = Situation.refetching.machine()
        machine.receive(.value("Bea", of: 2, freshFor: 30))
        #expect(!machine.entry.isStale(for: .zero, at: .seconds(129)))
        #expect(machine.entry.isStale(for: .never, at: .seconds(130)))
        machine.receive(.fetchNow)
        machine.receive(.answer(generation: 3, .notModified(freshFor: nil)))
        #expect(machine.entry.freshFor == nil)
    }

    @Test("Every value and error that is replaced is freed by the shell")
    func discards() {
        var machine = Situation.refetching.machine()
        let old = machine.entry.shown
        machine.receive(.value("Bea", of: 2))
        #expect(machine.discarded.contains { $0 === old })
        machine.receive(.fetchNow)
        let failure = Failure(Trouble.second)
        machine.receive(.answer(generation: 3, .failure(failure, retryIn: nil)))
        machine.receive(.write("Cid"))
        #expect(machine.discarded.contains { $0 === failure })
    }

    @Test("The failure of an attempt is kept while the next is awaited, and freed after")
    func attemptFailure() {
        var machine = Situation.backingOff.machine()
        let failure = machine.entry.flight?.lastFailure
        #expect(failure != nil)
        machine.pass(5)
        #expect(machine.entry.flight?.lastFailure === failure)
        machine.receive(.value("Ann", of: 1))
        #expect(machine.discarded.contains { $0 === failure })
    }
}
