import PigeonStore
import Testing

extension Version4 {
    /// A fake of a store, as a preview or a test has it: the requirements of `TwoWayPaginationStoreFlowable`, and no more.
    // guide: a fake of a store, with `async` functions
    final class FakeFeed: TwoWayPaginationStoreFlowable {
        typealias DATA = [Int]

        let calls = Memory<Int, String>()
        let state: LoadingState<[Int]>

        init(_ state: LoadingState<[Int]>) { self.state = state }

        func publish(forceRefresh: Bool) -> LoadingStateSequence<[Int]> {
            calls[0] = "publish \(forceRefresh)"
            return sequence(state)
        }

        func getData(from: GettingFrom) async -> [Int]? {
            calls[1] = "get \(from)"
            return state.content
        }

        func requireData(from: GettingFrom) async throws -> [Int] {
            calls[2] = "require \(from)"
            guard let content = state.content else { throw NoSuchElementError() }
            return content
        }

        func validate() async { calls[3] = "validate" }

        func refresh() async { calls[4] = "refresh" }

        func update(newData: [Int]?) async { calls[5] = "update" }

        func clear() async { calls[6] = "clear" }

        func requestNextData(continueWhenError: Bool) async { calls[7] = "next \(continueWhenError)" }

        func update(newData: [Int]?, nextKey: String?) async { calls[8] = "update \(nextKey ?? "-")" }

        func requestPrevData(continueWhenError: Bool) async { calls[9] = "prev \(continueWhenError)" }

        func update(newData: [Int]?, nextKey: String?, prevKey: String?) async {
            calls[10] = "update \(nextKey ?? "-") \(prevKey ?? "-")"
        }
    }

    /// Code that takes whatever store it is given, as a view model does.
    static func shown<Store: StoreFlowable>(_ store: Store) async -> Store.DATA? {
        await settled(store.publish())?.content
    }

    static func more<Feed: TwoWayPaginationStoreFlowable>(_ feed: Feed) async where Feed.DATA == [Int] {
        await feed.requestNextData()
        await feed.requestPrevData()
        await feed.update(newData: [1], prevKey: "p")
    }

    static func next<List: PaginationStoreFlowable>(_ list: List) async where List.DATA == [Int] {
        await list.requestNextData(continueWhenError: false)
        await list.update(newData: [1], nextKey: "n")
    }

    /// A view model of the main actor, whose own functions make the content that it shows.
    @MainActor
    final class Model {
        var suffix = "!"

        func shown(_ states: LoadingStateSequence<Int>) async -> String? {
            // guide: main actor-isolated property can not be referenced from a Sendable closure
            let suffix = suffix
            return await settled(states.mapContent { "\($0)\(suffix)" })?.content
        }
    }

    @Suite("Coming from StoreFlowable 4: sequences and fakes")
    struct SequenceTests {
        // An `AsyncStream` tells its states once, so each use has its own.
        var a: LoadingStateSequence<Int> { sequence(.done(1)) }
        var b: LoadingStateSequence<String> { sequence(.done("b")) }
        var c: LoadingStateSequence<Double> { sequence(.done(2.5)) }
        var d: LoadingStateSequence<Bool> { sequence(.loading(content: nil), .done(true)) }
        var e: LoadingStateSequence<[Int]> { sequence(.done([])) }

        /// The text of the last state that a sequence tells.
        func last<Z>(_ states: LoadingStateSequence<Z>) async -> String? {
            var last: String?
            for await state in states { last = state.text }
            return last
        }

        @Test("A LoadingStateSequence is made of any sequence of states")
        func make() async throws {
            let stream = AsyncStream<LoadingState<Int>> { continuation in
                continuation.yield(.loading(content: nil))
                continuation.yield(.done(1))
                continuation.finish()
            }
            let states: LoadingStateSequence<Int> = LoadingStateSequence(stream)
            var texts: [String] = []
            for try await state in states { texts.append(state.text) }
            #expect(texts == ["loading", "1 end end"])
            let element: LoadingStateSequence<Int>.Element = .done(2)
            #expect(element.text == "2 end end")
        }

        @Test("Its iterator may be a constant, and is made of another")
        func iterate() async {
            let iterator: LoadingStateSequence<Int>.AsyncIterator = sequence(.loading(content: 1), .done(2))
                .makeAsyncIterator()
            #expect(await iterator.next()?.text == "loading 1")
            let other = LoadingStateSequence<Int>.Iterator(baseIterator: iterator)
            #expect(await other.next()?.text == "2 end end")
            #expect(await other.next() == nil)
            #expect(await iterator.next() == nil)
        }

        @Test("mapContent gives other content, in all states that have some")
        func mapContent() async {
            let states = sequence(
                .loading(content: nil), .loading(content: 1), .done(2), .error(rawError: OfflineError()))
            let mapped: LoadingStateSequence<String> = states.mapContent { "<\($0)>" }
            var texts: [String] = []
            for await state in mapped { texts.append(state.text) }
            #expect(texts == ["loading", "loading <1>", "<2> end end", "error OfflineError"])
            // Any sequence of states has it, not only the library's.
            let stream = AsyncStream<LoadingState<Int>> { continuation in
                continuation.yield(.done(3))
                continuation.finish()
            }
            #expect(await last(stream.mapContent { (content: Int) -> Int in content + 1 }) == "4 end end")
            #expect(await Model().shown(a) == "1!")
        }

        @Test("combineState makes one state of two, three, four and five")
        func combineState() async {
            let two: LoadingStateSequence<String> = a.combineState(b) { content1, content2 in "\(content1)\(content2)" }
            #expect(await last(two) == "1b end end")
            #expect(await last(a.combineState(b, c) { "\($0)\($1)\($2)" }) == "1b2.5 end end")
            let four = a.combineState(b, c, d) { rawContent1, rawContent2, rawContent3, rawContent4 in
                "\(rawContent1)\(rawContent2)\(rawContent3)\(rawContent4)"
            }
            #expect(await last(four) == "1b2.5true end end")
            #expect(await last(a.combineState(b, c, d, e) { "\($0)\($1)\($2)\($3)\($4)" }) == "1b2.5true[] end end")
        }

        @Test("A fake is a store, with the defaults of the protocols")
        func fake() async throws {
            let fake = FakeFeed(.done([1, 2]))
            #expect(await shown(fake) == [1, 2])
            #expect(fake.calls[0] == "publish false")
            #expect(await fake.getData() == [1, 2])
            #expect(fake.calls[1] == "get both")
            #expect(try await fake.requireData() == [1, 2])
            #expect(fake.calls[2] == "require both")
            await more(fake)
            #expect(fake.calls[7] == "next true")
            #expect(fake.calls[9] == "prev true")
            #expect(fake.calls[10] == "update - p")
            await next(fake)
            #expect(fake.calls[7] == "next false")
            #expect(fake.calls[8] == "update n")
        }

        @Test("The library's stores are taken where a store is")
        func stores() async {
            let feed = AnyStoreFlowable.from(cacher: FeedCacher(), fetcher: FeedFetcher(), param: "generic")
            #expect(await shown(feed) == [5])
            await more(feed)
            await next(feed)
            let user = AnyStoreFlowable.from(cacher: UserCacher.shared, fetcher: UserFetcher(), param: 20)
            #expect(await shown(user) == User(20))
            let both = user.publish().combineState(a) { "\($0.name)\($1)" }
            #expect(await settled(both)?.content == "ann1")
        }
    }
}
