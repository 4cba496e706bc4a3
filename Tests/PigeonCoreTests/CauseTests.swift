import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Every event says why")
struct CauseTests {
    let desk = Desk()

    @Test(
        "A fetch says what asked for it: to the stream, the fetcher and the snapshot",
        arguments: [
            "observed", "requested", "prefetched", "poll", "foreground", "reconnect", "invalidated by requested",
        ])
    func fetches(_ cause: String) {
        let observer = desk.client.observe(
            desk.user.enabled(cause != "requested" && cause != "prefetched").poll(every: .seconds(60)))
        if cause != "observed" { desk.fetcher.succeed(with: "Ann") }
        switch cause {
        case "requested": _ = desk.refetch(desk.user)
        case "prefetched": _ = desk.lab.start { [desk] in await desk.client.prefetch(desk.user) }
        case "poll": desk.lab.advance(by: .seconds(60))
        case "foreground":
            desk.lab.setActive(false)
            desk.lab.advance(by: .seconds(5))
            desk.lab.setActive(true)
        case "reconnect":
            desk.lab.setOnline(false)
            desk.lab.setOnline(true)
        case "invalidated by requested": desk.client.invalidate(.all)
        default: break
        }
        if cause != "requested", cause != "prefetched" {
            #expect(desk.lab.log.last == "users/1 fetching (\(cause))")
            #expect(desk.fetcher.calls.last?.cause.description == cause)
            #expect(observer.snapshot.cause?.description == cause)
        } else {
            #expect(desk.fetcher.calls.last?.cause.description == cause)
        }
    }

    @Test("Writes, cancellations, invalidations and removals say what led to them")
    func others() throws {
        try desk.client.set("Ann", for: desk.user)
        desk.client.invalidate(.all)
        _ = desk.refetch(desk.user)
        _ = desk.refetch(desk.user)
        desk.client.cancel(.all)
        desk.lab.settle()
        desk.client.remove(.all)
        #expect(
            desk.lab.log == [
                "users/1 written", "users/1 invalidated (requested)", "users/1 fetching (requested)",
                "users/1 cancelled (superseded)", "users/1 fetching (requested)", "users/1 cancelled (requested)",
                "users/1 removed (requested)",
            ])
        #expect(desk.lab.events.map(\.cause).first == .written)
    }

    @Test("Events are numbered without gaps, and carry the clock's time and their key")
    func numbered() {
        desk.receive("Ann", for: desk.user)
        desk.lab.advance(by: .seconds(3))
        desk.receive("Bea", for: desk.user)
        let events = desk.lab.events
        #expect(events.map(\.sequence) == Array(1...UInt64(events.count)))
        #expect(events.map(\.time.nanoseconds) == [0, 0, 3_000_000_000, 3_000_000_000])
        #expect(events.allSatisfy { $0.key == desk.user.key })
    }

    @Test("Each reader of the stream has all events from when it began")
    func stream() {
        let (early, late) = (Recorder<String>(), Recorder<String>())
        let events = desk.client.events
        let first = desk.lab.start { for await event in events { early.append(event.description) } }
        desk.receive("Ann", for: desk.user)
        let more = desk.client.events
        let second = desk.lab.start { for await event in more { late.append(event.description) } }
        desk.receive("Bea", for: desk.user)
        #expect(early.all.count == 4)
        #expect(late.all == Array(early.all.suffix(2)))
        first.cancel()
        second.cancel()
    }

    @Test("No event shows what an error holds")
    func noSecrets() {
        struct Leaky: Error { let password = "hunter2" }
        let task = desk.fetch(desk.user)
        desk.fetcher.fail(with: Leaky())
        #expect(task.error is Leaky)
        #expect(desk.lab.log.last == "users/1 failed: Leaky")
    }

    @Test("The origin of a cause is what began it, whatever the retries on the way")
    func origin() {
        let cause = Cause.retry(2, after: "503", of: .retry(1, after: "500", of: .poll))
        #expect(cause.origin == .poll)
        #expect(cause.description == "retry 2 after 503, retry 1 after 500, poll")
        #expect(Cause.invalidated(by: .mutation("Rename")).description == "invalidated by mutation Rename")
    }
}
