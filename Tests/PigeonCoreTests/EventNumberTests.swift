import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("every event says which fetch or mutation it is of", .rule("A69"))
struct EventNumberTests {
    /// The kinds of all events with a number, and the place of the number in the order in which they came.
    private func told(_ lab: QueryLab, _ number: (QueryEvent) -> UInt64?) -> [String] {
        var known: [UInt64] = []
        return lab.events.compactMap { event in
            guard let number = number(event) else { return nil }
            if !known.contains(number) { known.append(number) }
            let name = "\(event.kind)".split(separator: " ").first ?? ""
            return "\(name) \(known.firstIndex(of: number).map { $0 + 1 } ?? 0)"
        }
    }

    @Test("the attempts, pauses and the end of a fetch have one number, and those who join it name it", .rule("A69"))
    func attempts() {
        let desk = Desk {
            $0.retry = RetryPolicy(limit: 2, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        }
        let observer = desk.client.observe(desk.user)
        _ = desk.fetch(desk.user)
        desk.fetcher.fail(with: URLFault())
        desk.lab.setOnline(false)
        desk.lab.advance(by: .seconds(1))
        desk.lab.setOnline(true)
        desk.fetcher.succeed(with: "Ann")
        desk.receive("Bea", for: desk.user)
        #expect(
            told(desk.lab, \.fetchNumber) == [
                "fetching 1", "joined 1", "retrying 1", "paused 1", "resumed 1", "fetching 1", "fresh 1", "fetching 2",
                "fresh 2",
            ])
        #expect(desk.lab.events.allSatisfy { $0.mutationNumber == nil })
        withExtendedLifetime(observer) {}
    }

    @Test("an answer that a later one has overtaken has the number of its own fetch", .rule("A69"))
    func overtaken() throws {
        let desk = Desk()
        try desk.client.beginFetch(desk.user, .requested)
        try desk.client.beginFetch(desk.user, .requested)
        desk.fetcher.fail(0, with: URLFault())
        desk.fetcher.succeed(with: "Bea")
        #expect(told(desk.lab, \.fetchNumber) == ["fetching 1", "fetching 2", "late 1", "fresh 2"])
    }

    @Test("mutations that run at once have numbers of their own, which their optimistic changes name", .rule("A69"))
    func mutations() throws {
        let desk = Desk()
        try desk.client.set("Ann", for: desk.user)
        let server = desk.lab.fetcher(returning: String.self)
        let key = desk.user.key
        let tasks = ["!", "?"].map { text in
            desk.lab.start { [client = desk.client] in
                try await client.mutate(
                    "append", optimistic: { $0.update(.key(key), as: String.self) { $0 += text } },
                    { _ in try await server.call(text) })
            }
        }
        server.fail(0, with: URLFault())
        server.succeed(1, with: "")
        desk.lab.settle()
        #expect(tasks[0].error is URLFault && tasks[1].value == "")
        #expect(
            told(desk.lab, \.mutationNumber) == [
                "started 1", "changed 1", "started 2", "changed 2", "rolled 1", "failed: 1", "succeeded 2",
            ])
        #expect(desk.lab.events.allSatisfy { $0.mutationNumber == nil || $0.fetchNumber == nil })
    }

    @Test("fetches and mutations are intervals, and what is removed or cleared ends with its entry", .rule("A70"))
    func intervals() throws {
        let desk = Desk()
        let server = desk.lab.fetcher(returning: String.self)
        let other = desk.query("other")
        _ = desk.fetch(desk.user)
        desk.fetcher.succeed(with: "Ann")
        _ = desk.fetch(other)
        _ = desk.lab.start { [client = desk.client] in
            try await client.mutate("rename") { _ in try await server.call() }
        }
        desk.client.invalidate(desk.user, refetch: .none)
        desk.client.remove(other)
        server.succeed(with: "")
        desk.lab.settle()
        #expect(
            steps(desk.lab) == [
                "begin fetch", "end fetch", "begin fetch", "begin mutation", "mark", "end fetch", "mark",
                "end mutation",
            ])
    }

    @Test("a page load that a refresh postpones is an interval of its own", .rule("A70"))
    func postponedPage() {
        let feed = Feed()
        feed.load(.next)
        _ = feed.lab.start { [feed] in try await feed.client.refetch(feed.list) }
        feed.pages.succeed(with: [1])
        feed.pages.succeed(with: [2])
        feed.lab.settle()
        let all = steps(feed.lab)
        #expect(all.count { $0.hasPrefix("begin pageLoad") } == 2)
        #expect(all.count { $0.hasPrefix("begin") } == all.count { $0.hasPrefix("end") })
    }

    @Test("page loads of both directions are intervals at the same time", .rule("A70"))
    func bothDirections() {
        let feed = Feed()
        feed.load(.next)
        feed.load(.previous)
        #expect(steps(feed.lab).suffix(2).allSatisfy { $0.hasPrefix("begin pageLoad") })
    }

    private func steps(_ lab: QueryLab) -> [String] {
        var intervals = EventIntervals()
        return lab.events.flatMap { event in
            intervals.receive(event).map { step in
                switch step {
                case .begin(_, let kind): "begin \(kind)"
                case .end(_, let kind): "end \(kind)"
                case .mark: "mark"
                }
            }
        }
    }

    @Test("a page load has a number of its own", .rule("A69"))
    func pages() {
        let feed = Feed()
        feed.load(.next)
        feed.pages.succeed(with: [2])
        #expect(told(feed.lab, \.fetchNumber) == ["fetching 1", "fresh 1", "loading 2", "next 2"])
    }
}

/// An observed list that has its first page.
private struct Feed {
    let lab = QueryLab()
    let pages: ScriptedFetcher<[Int]>
    let list: QueryDefinition<Pages<[Int], Int>>
    private let observer: QueryObserver<Pages<[Int], Int>>
    var client: QueryClient { lab.client }

    init() {
        let pages = lab.fetcher(returning: [Int].self)
        let list = QueryDefinition.pages("list", first: 0) { (_: Int, _) in
            try await pages.call()
        } next: { _, page in
            page + 1
        } previous: { _, page in
            page - 1
        }
        (self.pages, self.list, observer) = (pages, list, lab.client.observe(list))
        pages.succeed(with: [1])
    }

    func load(_ direction: PageDirection) {
        _ = lab.start { [client, list] in
            switch direction {
            case .next: try await client.fetchNextPage(of: list)
            case .previous: try await client.fetchPreviousPage(of: list)
            }
        }
    }
}

private struct URLFault: Error {}
