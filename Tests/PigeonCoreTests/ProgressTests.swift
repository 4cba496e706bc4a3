import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("The progress of a fetch")
struct ProgressTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }

    /// A query whose fetcher hands its context out, and answers as told.
    private func query(_ key: QueryKey, _ contexts: Recorder<FetchContext<String>>) -> (
        QueryDefinition<String>, ScriptedFetcher<String>
    ) {
        let fetcher = lab.fetcher(returning: String.self)
        let definition = QueryDefinition<String>(key) { context in
            contexts.append(context)
            return try await fetcher.fetch(context)
        }
        return (definition, fetcher)
    }

    @Test("An observer sees what the fetcher reports, until the fetch ends")
    func observed() throws {
        let contexts = Recorder<FetchContext<String>>()
        let (file, fetcher) = query("file", contexts)
        let seen = Recorder<Double?>()
        let observer = client.observe(file) { seen.append($0.progress) }
        let context = try #require(contexts.all.first)
        #expect(observer.snapshot.progress == nil)
        seen.clear()
        context.report(progress: 0.25)
        context.report(progress: 1)
        #expect(seen.all == [0.25, 1])
        #expect(observer.snapshot.isLoading)
        fetcher.succeed(with: "done")
        #expect(observer.snapshot.progress == nil)
        observer.cancel()
    }

    @Test("Small steps, steps back and what is no number are not shown; what is beyond the range is clamped")
    func steps() throws {
        let contexts = Recorder<FetchContext<String>>()
        let (file, _) = query("file", contexts)
        let seen = Recorder<Double?>()
        let observer = client.observe(file) { seen.append($0.progress) }
        let context = try #require(contexts.all.first)
        seen.clear()
        for progress in [-3, 0.5, 0.505, 0.2, .nan, 0.51, 0.999, 1, 7] { context.report(progress: progress) }
        #expect(seen.all == [0, 0.5, 0.51, 0.999, 1])
        observer.cancel()
    }

    @Test("A retry begins without progress, and a fetch that is over reports none")
    func retry() throws {
        let contexts = Recorder<FetchContext<String>>()
        let (made, fetcher) = query("file", contexts)
        let file = made.retry(RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true })
        let observer = client.observe(file)
        contexts.all.first?.report(progress: 0.5)
        #expect(observer.snapshot.progress == 0.5)
        fetcher.fail(with: Trouble.first)
        #expect(observer.snapshot.progress == nil)
        contexts.all.first?.report(progress: 0.6)
        #expect(observer.snapshot.progress == nil)
        lab.advance(by: .seconds(1))
        contexts.all.last?.report(progress: 0.1)
        #expect(observer.snapshot.progress == 0.1)
        fetcher.succeed(with: "done")
        let version = observer.snapshot.version
        contexts.all.last?.report(progress: 0.9)
        #expect(observer.snapshot.version == version)
        observer.cancel()
    }

    @Test("The load of a page has its own")
    func page() throws {
        let contexts = Recorder<PageContext<Int>>()
        let (gate, open) = AsyncStream.makeStream(of: Int.self)
        let list = QueryDefinition<Pages<Int, Int>>.pages("list", first: 0) { _, context in
            contexts.append(context)
            for await page in gate { return page }
            return -1
        } next: { _, page in
            page + 1
        }
        let observer = client.observe(list)
        open.yield(10)
        lab.settle()
        let load = lab.start { [client] in _ = try await client.fetchNextPage(of: list) }
        contexts.all.last?.report(progress: 0.5)
        #expect(observer.snapshot.progress == nil)
        #expect(observer.snapshot.nextPage.progress == 0.5)
        #expect(observer.snapshot.previousPage.progress == nil)
        open.yield(11)
        lab.settle()
        #expect(load.result != nil)
        #expect(observer.snapshot.nextPage.progress == nil)
        observer.cancel()
    }
}
