import PigeonCore
import TestSupport
import Testing

@Suite("The entry: pages")
struct EntryPages {
    static let asking: [Row] = [
        Row(
            .content, "a page", .loadPage(.next), "Ann, idle", "loading next page (next page)", "start next page 2",
            "notify"),
        Row(
            .empty, "a page", .loadPage(.next), "nothing, fetching 1", "fetching (next page)", "start 1 (next page)",
            "notify"),
        Row(.loading, "a page", .loadPage(.next), "nothing, fetching 1", "notify"),
        Row(.refetching, "a page", .loadPage(.next), "Ann, fetching 2", "notify"),
        Row(.loadingPage, "the same page", .loadPage(.next), "Ann, idle", "joined (next page)"),
        Row(
            .loadingPage, "a page of the other direction", .loadPage(.previous), "Ann, idle",
            "loading previous page (previous page)", "start previous page 3", "notify"),
        Row(.loadingPage, "its waiter leaving", .leave(), "Ann, idle"),
        Row(.content, "a waiter leaving", .leave(), "Ann, idle"),
    ]

    @Test("one load per direction; a refresh is never cancelled for it", .rule("A23", "A24"), arguments: asking)
    func asksAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    static let answers: [Row] = [
        Row(
            .loadingPage, "its page", .page("Ann, Bea", of: 2), "Ann, Bea, idle", "next page (next page)",
            "persist", "settle next page value", "notify"),
        Row(
            .loadingPage, "the end", .answer(generation: 2, .finished), "Ann, idle", "next page (next page)",
            "settle next page value", "notify"),
        Row(
            .loadingPage, "its failure",
            .answer(generation: 2, .failure(Failure(Trouble.first), retryIn: nil)), "Ann, idle",
            "next page failed: Trouble (next page)", "settle next page first", "notify"),
        Row(
            .loadingPage, "a failure to be retried",
            .answer(generation: 2, .failure(Failure(Trouble.first), retryIn: .seconds(5))), "Ann, idle",
            "retrying in 5.0 s after Trouble (retry 1 after Trouble, next page)", "notify"),
        Row(
            .loadingPage, "its cancellation", .answer(generation: 2, .cancelled), "Ann, idle",
            "cancelled (next page)", "settle next page cancelled", "notify"),
        Row(
            .loadingPage, "an older page", .page("Ann, Bea", of: 1), "Ann, idle",
            "late answer dropped (superseded)"),
        Row(
            .loadingPage, "a page of another load", .page("Bea, Ann", of: 3), "Ann, idle",
            "late answer dropped (superseded)"),
        Row(.content, "a page", .page("Ann, Bea", of: 1), "Ann, idle", "late answer dropped (superseded)"),
    ]

    @Test(
        "a page lands in the list it was asked for; a failure is the direction's own", .rule("A25", "A26"),
        arguments: answers)
    func landsAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("a page that is asked for during a refresh starts when that ends", .rule("A24"))
    func startsAfterRefresh() {
        var machine = Situation.refetching.machine()
        machine.receive(.loadPage(.next))
        let effects = machine.receive(.value("Bea", of: 2))
        #expect(effects.suffix(3) == ["loading next page (next page)", "start next page 3", "notify"])
    }

    @Test(
        "a refresh makes the answer of a page load stale, and the page is asked for again after it", .rule("A24", "A33")
    )
    func refreshReplacesPage() {
        var machine = Situation.loadingPage.machine()
        machine.receive(.refetchNow)
        #expect(machine.receive(.page("Ann, Bea", of: 2)) == ["late answer dropped (superseded)"])
        let effects = machine.receive(.value("Cid", of: 3))
        #expect(effects.suffix(3) == ["loading next page (next page)", "start next page 4", "notify"])
        #expect(machine.receive(.page("Cid, Dan", of: 4)).contains("settle next page value"))
    }

    @Test("the first page is what a fetch brings; its failure is told to who asked for a page", .rule("T103"))
    func firstPage() {
        var machine = Situation.empty.machine()
        machine.receive(.loadPage(.next))
        #expect(machine.receive(.failure(of: 1)).contains("settle next page first"))
    }

    @Test("A page load is retried at its time, as the same page")
    func retries() {
        var machine = Situation.loadingPage.machine()
        machine.receive(.answer(generation: 2, .failure(Failure(Trouble.first), retryIn: .seconds(5))))
        #expect(machine.due == 5)
        let effects = machine.pass(5)
        #expect(
            effects.prefix(2) == [
                "loading next page again (retry 1 after Trouble, next page)", "start next page 2 again",
            ])
    }

    @Test("Offline, a page load waits for the network")
    func waitsForNetwork() {
        var machine = Situation.content.machine()
        machine.isOnline = false
        #expect(machine.receive(.loadPage(.next)) == ["paused (next page)", "notify"])
        machine.isOnline = true
        #expect(machine.receive(.surroundings(.conditions)).contains("start next page 2"))
    }

    @Test("An entry that loads a page is not collected")
    func notCollected() {
        var machine = Situation.loadingPage.machine()
        machine.receive(.detach(observer: 1))
        #expect(machine.due == nil)
    }

    @Test("an error of a direction ends when it is asked for again", .rule("A26"))
    func errorEnds() {
        var machine = Situation.loadingPage.machine()
        machine.receive(.answer(generation: 2, .failure(Failure(Trouble.first), retryIn: nil)))
        #expect(machine.entry.side?.next.error?.error as? Trouble == .first)
        machine.receive(.loadPage(.next))
        #expect(machine.entry.side?.next.error?.error == nil)
        #expect(machine.entry.side?.next.isFetching == true)
    }
}
