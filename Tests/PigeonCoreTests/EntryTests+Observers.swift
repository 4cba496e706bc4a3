import PigeonCore
import TestSupport
import Testing

@Suite("The entry: observers and those who wait")
struct EntryObservers {
    private static let fetched = ["fetching (observed)", "start 2 (observed)", "notify"]

    static let attaching: [Row] = [
        Row(
            .empty, "an observer", .observe(), "nothing, fetching 1", "fetching (observed)", "start 1 (observed)",
            "notify"),
        Row(.empty, "a disabled observer", .observeDisabled(), "nothing, idle"),
        Row(
            .empty, "an observer that never refetches", .observe { $0.refetchOnAttach = .never },
            "nothing, fetching 1", "fetching (observed)", "start 1 (observed)", "notify"),
        Row(
            .empty, "an observer that wants it fixed", .observe { $0.staleAfter = .immutable }, "nothing, fetching 1",
            "fetching (observed)", "start 1 (observed)", "notify"),
        Row(
            .failed, "an observer", .observe(2), "nothing, fetching 2, invalidated, failed first",
            "fetching (observed)", "start 2 (observed)", "notify"),
        Row(
            .failed, "an observer that does not repeat failures", .observe(2) { $0.retriesOnAttach = false },
            "nothing, idle, invalidated, failed first"),
        Row(
            .content, "an observer", .observe(2), "Ann, fetching 2", "fetching (observed)", "start 2 (observed)",
            "notify"),
        Row(.content, "a disabled observer", .observeDisabled(2), "Ann, idle"),
        Row(.content, "an observer that never refetches", .observe(2) { $0.refetchOnAttach = .never }, "Ann, idle"),
        Row(
            .content, "an observer that always refetches but wants it fixed",
            .observe(2) {
                $0.staleAfter = .immutable
                $0.refetchOnAttach = .always
            }, "Ann, idle"),
        Row(.fresh, "an observer that is content", .observe(2) { $0.staleAfter = .seconds(60) }, "Ann, idle"),
        Row(
            .fresh, "an observer that wants it fresher", .observe(2) { $0.staleAfter = .seconds(10) },
            "Ann, fetching 2", "fetching (observed)", "start 2 (observed)", "notify"),
        Row(
            .fresh, "an observer that always refetches",
            .observe(2) {
                $0.staleAfter = .seconds(60)
                $0.refetchOnAttach = .always
            }, "Ann, fetching 2", "fetching (observed)", "start 2 (observed)", "notify"),
        Row(.loading, "an observer", .observe(2), "nothing, fetching 1", "joined (observed)"),
        Row(.refetching, "an observer", .observe(2), "Ann, fetching 2", "joined (observed)"),
        Row(.loadingOffline, "an observer", .observe(2), "nothing, paused 1", "joined (observed)"),
        Row(.written, "an observer", .observe(), "Ann, idle"),
    ]

    @Test("an observer that attaches fetches what it needs", .rule("T20", "T21", "T22", "T24"), arguments: attaching)
    func attachesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    static let renewing: [Row] = [
        Row(
            .disabled, "enabling", .renew(.observer(1)), "nothing, fetching 1", "fetching (observed)",
            "start 1 (observed)", "notify"),
        Row(.content, "other options", .renew(.observer(1) { $0.refetchOnAttach = .always }), "Ann, idle"),
        Row(.content, "disabling", .renew(.observer(1, isEnabled: false)), "Ann, idle"),
        Row(.content, "a stranger's options", .renew(.observer(9)), "Ann, idle"),
    ]

    @Test(
        "new terms fetch only when they enable, and change nothing that others see", .rule("T23"), arguments: renewing)
    func renewsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("enabling does not fetch what is fresh, whatever the trigger for new observers", .rule("T23"))
    func enablingFresh() {
        var machine = Situation.fresh.machine()
        machine.receive(.renew(.observer(1, isEnabled: false)))
        let effects = machine.receive(
            .renew(
                .observer(1) {
                    $0.staleAfter = .seconds(60)
                    $0.refetchOnAttach = .always
                }))
        #expect(effects.isEmpty)
    }

    static let leaving: [Row] = [
        Row(.content, "its observer leaving", .detach(observer: 1), "Ann, idle"),
        Row(.content, "a stranger leaving", .detach(observer: 9), "Ann, idle"),
        Row(.content, "a leave without a join", .leave(), "Ann, idle"),
        Row(.loading, "its observer leaving", .detach(observer: 1), "nothing, fetching 1"),
        Row(.loadingForWaiter, "its waiter leaving", .leave(), "nothing, fetching 1"),
        Row(
            .loadingOffline, "its observer leaving", .detach(observer: 1), "nothing, idle", "cancelled (abandoned)",
            "settle cancelled", "notify"),
        Row(.refetchingOffline, "its observer leaving", .detach(observer: 1), "Ann, paused 2"),
        Row(
            .backingOff, "its observer leaving", .detach(observer: 1), "nothing, idle, invalidated, failed first",
            "failed: Trouble (retry 1 after Trouble, observed)", "settle first", "notify"),
        Row(
            .refetchBackingOff, "its observer leaving", .detach(observer: 1), "Ann, idle, invalidated, failed first",
            "failed: Trouble (retry 1 after Trouble, requested)", "settle first", "notify"),
    ]

    @Test("a fetch that nobody is interested in ends", .rule("A13", "T38", "T44"), arguments: leaving)
    func leavesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    static let cancelling: [Row] = [
        Row(
            .loading, "its observer leaving", .detach(observer: 1), "nothing, idle", "stop 1",
            "cancelled (abandoned)", "settle cancelled", "notify"),
        Row(
            .loadingForWaiter, "its waiter leaving", .leave(), "nothing, idle", "stop 1", "cancelled (abandoned)",
            "settle cancelled", "notify"),
        Row(
            .loadingForWaiter, "its waiter leaving with a stale value", .leave(isServed: true),
            "nothing, fetching 1"),
        Row(
            .refetching, "its observer leaving", .detach(observer: 1), "Ann, idle", "stop 2", "cancelled (abandoned)",
            "settle cancelled", "notify"),
        Row(
            .refetchBackingOff, "its observer leaving", .detach(observer: 1), "Ann, idle", "cancelled (abandoned)",
            "settle cancelled", "notify"),
        Row(
            .refetchingOffline, "its observer leaving", .detach(observer: 1), "Ann, idle", "cancelled (abandoned)",
            "settle cancelled", "notify"),
    ]

    @Test("or is cancelled at once, if the definition says so", .rule("A13"), arguments: cancelling)
    func cancelsAsTabled(_ row: Row) {
        row.check(row.situation.machine { $0.whenAbandoned = .cancel })
    }

    @Test("a fetch goes on while anyone is interested", .rule("A13"))
    func oneStays() {
        var machine = Situation.loading.machine { $0.whenAbandoned = .cancel }
        machine.receive(.join)
        #expect(machine.receive(.detach(observer: 1)).isEmpty)
        #expect(machine.receive(.leave()).contains("stop 1"))
    }

    @Test("a retry that waits for the network ends when nobody waits for it", .rule("T38"))
    func pausedRetry() {
        var machine = Situation.refetchBackingOff.machine()
        machine.isOnline = false
        #expect(machine.pass(5) == ["paused (retry 1 after Trouble, requested)", "notify"])
        machine.receive(.detach(observer: 1))
        #expect(machine.state == "Ann, idle, invalidated, failed first")
    }

    @Test("options that come during a fetch count from the next one on", .rule("T28"))
    func optionsDuringFetch() {
        var machine = Situation.loading.machine()
        machine.use(.with { $0.timeLimit = .seconds(3) })
        #expect(machine.entry.options.values.timeLimit == nil)
        machine.receive(.value("Ann", of: 1))
        machine.receive(.fetchNow)
        #expect(machine.due == 3)
    }
}
