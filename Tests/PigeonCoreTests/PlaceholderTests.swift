import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Placeholders and initial values")
struct PlaceholderTests {
    let desk = Desk()

    @Test("a placeholder stands in while a first load runs; it says so, and is not cached", .rule("T63"))
    func standsIn() {
        let observer = desk.client.observe(desk.user.placeholder("someone"))
        let snapshot = observer.snapshot
        #expect(snapshot.brief == "someone…")
        #expect(snapshot.isPlaceholder && snapshot.isLoading && !snapshot.isFetched)
        #expect(observer.value == nil && desk.client.value(of: desk.user) == nil)
        desk.fetcher.succeed(with: "Ann")
        #expect(observer.snapshot.brief == "Ann (stale)" && !observer.snapshot.isPlaceholder)
    }

    @Test("it is the observer's own", .rule("T63"))
    func perObserver() {
        let plain = desk.client.observe(desk.user)
        let decorated = desk.client.observe(desk.user.placeholder("someone"))
        #expect(plain.snapshot.value == nil)
        #expect(decorated.snapshot.value == "someone")
    }

    @Test("an error takes its place, until the load is repeated", .rule("T63"))
    func error() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user.placeholder("someone")) { seen.append($0.brief) }
        desk.fetcher.fail(with: Trouble.first)
        #expect(!observer.snapshot.isPlaceholder)
        let task = desk.refetch(desk.user)
        #expect(observer.snapshot.isPlaceholder)
        #expect(seen.all == ["failure", "someone…"])
        task.cancel()
    }

    @Test("kept beside the error, it stays when the next key fails, and is never gone on from", .rule("K18", "T63"))
    func keptBesideError() {
        let observer = desk.client.observe(desk.query("a").placeholder { $0 }.keepsPlaceholder())
        desk.fetcher.fail(with: Trouble.first)
        #expect(observer.snapshot.brief == "failure", "there is nothing to keep")
        observer.observe(desk.query("ab").placeholder { $0 }.keepsPlaceholder())
        desk.fetcher.succeed(with: "Ann")
        observer.observe(desk.query("abc").placeholder { $0 }.keepsPlaceholder())
        desk.fetcher.fail(with: Trouble.second)
        let failed = observer.snapshot
        #expect(failed.value == "Ann" && failed.isPlaceholder && failed.error as? Trouble == .second)
        #expect(observer.value == nil && desk.client.value(of: desk.query("abc")) == nil)
        observer.observe(desk.query("abcd").placeholder { $0 })
        #expect(observer.snapshot.brief == "Ann…")
        desk.fetcher.fail(with: Trouble.second)
        #expect(observer.snapshot.brief == "failure", "by default, the error takes its place")
        let names = desk.client.observe(desk.query("b").placeholder("Bea").keepsPlaceholder()).select(\.count)
        desk.fetcher.fail(with: Trouble.first)
        #expect(names.snapshot.value == 3 && names.snapshot.error as? Trouble == .first)
    }

    @Test("a placeholder may be made of the value that was shown last", .rule("T64"))
    func fromPrevious() {
        let first = desk.query("one").placeholder { $0.map { "\($0)?" } }
        let observer = desk.client.observe(first)
        #expect(observer.snapshot.value == nil)
        desk.fetcher.succeed(with: "Ann")
        observer.observe(desk.query("two").placeholder { $0.map { "\($0)?" } })
        #expect(observer.snapshot.brief == "Ann?…" && observer.snapshot.isPlaceholder)
        observer.observe(desk.query("three").placeholder { $0 })
        #expect(observer.snapshot.brief == "Ann…", "a placeholder is no value to go on from")
    }

    @Test("an initial value is cached as if it had been received; zero fresh, it is refetched", .rule("T65"))
    func initial() {
        let observer = desk.client.observe(desk.user.initial("Ann"))
        #expect(observer.snapshot.brief == "Ann…" && !observer.snapshot.isPlaceholder)
        #expect(desk.client.value(of: desk.user) == "Ann")
    }

    @Test("an initial value has its age", .rule("T65"), arguments: [(20, false), (40, true)])
    func initialAge(_ age: Int, _ fetches: Bool) {
        let user = desk.user.initial("Ann", age: .seconds(age)).staleAfter(.seconds(30))
        let observer = desk.client.observe(user)
        #expect(observer.snapshot.age == .seconds(age))
        #expect(observer.snapshot.isFetching == fetches)
    }

    @Test("an initial value is ignored when a value is there", .rule("T65"))
    func initialIgnored() {
        desk.receive("Ann", for: desk.user)
        #expect(desk.client.observe(desk.user.initial("Bea")).value == "Ann")
    }
}
