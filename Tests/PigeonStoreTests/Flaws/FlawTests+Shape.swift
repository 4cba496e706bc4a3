import PigeonStore
import PigeonTesting
import TestSupport
import Testing

/// A custom store that implements only what the protocols require.
private struct OwnStore: TwoWayPaginationStoreFlowable {
    typealias KEY = Int
    typealias DATA = String

    let calls = Watched<[String]>([])

    private func note<Output>(_ call: String, _ output: Output) -> AnyPublisher<Output, Never> {
        calls.update { $0.append(call) }
        return Just(output).eraseToAnyPublisher()
    }

    func publish(forceRefresh: Bool) -> LoadingStatePublisher<String> {
        note("publish \(forceRefresh)", completed("a"))
    }

    func getData(from: GettingFrom) -> AnyPublisher<String?, Never> { note("get \(from)", "a") }

    func requireData(from: GettingFrom) -> AnyPublisher<String, any Error> {
        note("require \(from)", "a").setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }

    func validate() -> AnyPublisher<Void, Never> { note("validate", ()) }
    func refresh() -> AnyPublisher<Void, Never> { note("refresh", ()) }
    func update(newData: String?) -> AnyPublisher<Void, Never> { note("update \(newData ?? "nil")", ()) }

    func requestNextData(continueWhenError: Bool) -> AnyPublisher<Void, Never> { note("next \(continueWhenError)", ()) }
    func requestPrevData(continueWhenError: Bool) -> AnyPublisher<Void, Never> { note("prev \(continueWhenError)", ()) }

    func update(newData: String?, nextKey: String?) -> AnyPublisher<Void, Never> {
        note("update \(nextKey ?? "nil")", ())
    }

    func update(newData: String?, nextKey: String?, prevKey: String?) -> AnyPublisher<Void, Never> {
        note("update \(nextKey ?? "nil") \(prevKey ?? "nil")", ())
    }
}

@Suite("Flaws of StoreFlowable: the shape of the interface")
struct ShapeFlawTests {
    private let store = OwnStore()

    private func calls() -> [String] {
        store.calls.update { calls in
            defer { calls = [] }
            return calls
        }
    }

    @Test(
        "forms with defaults call the requirement that a conformer wrote, and not themselves",
        .rule("StoreFlowable F19"))
    func f19Publishers() {
        func end(_ publisher: some Publisher<some Any, some Error>) {
            publisher.sink { _ in
            } receiveValue: { _ in
            }.cancel()
        }
        end(store.publish())
        end(store.getData())
        end(store.requireData())
        end(store.clear())
        end(store.requestNextData())
        end(store.requestPrevData())
        #expect(
            calls() == ["publish false", "get both", "require both", "update nil", "next true", "prev true"])
    }

    @Test("the awaited forms do too", .rule("StoreFlowable F19"))
    func f19Async() async throws {
        for await state in store.publish() { #expect(state.word == "a") }
        #expect(calls() == ["publish false"])
        #expect(await store.getData() == "a")
        #expect(try await store.requireData(from: .cache) == "a")
        #expect(calls() == ["require both", "require cache"])
        await store.validate()
        await store.refresh()
        await store.update(newData: "b")
        await store.clear()
        await store.requestNextData()
        await store.requestPrevData(continueWhenError: false)
        await store.update(newData: "b", nextKey: "n")
        await store.update(newData: "b", nextKey: "n", prevKey: "p")
        #expect(
            calls() == [
                "validate", "refresh", "update b", "update nil", "next true", "prev false", "update n", "update n p",
            ])
    }

    @Test("what a fetcher returns can be read in a test of it", .rule("StoreFlowable F23"))
    func f23() async throws {
        let lab = QueryLab()
        let page = try await ListFetcher(origin: Origin(lab) { _ in Page(1, next: "n") }).fetch(param: 1)
        #expect(page.data == [1])
        #expect(page.nextRequestKey == "n")
        let fetcher = TwoWayListFetcher(origin: Origin(lab) { _ in Page(1, next: "n", prev: "p") })
        let initial = try await fetcher.fetch(param: 1)
        #expect((initial.data, initial.nextRequestKey, initial.prevRequestKey) == ([1], "n", "p"))
        let next = try await fetcher.fetchNext(nextKey: "n", param: 1)
        #expect((next.data, next.nextRequestKey) == ([1], "n"))
        let prev = try await fetcher.fetchPrev(prevKey: "p", param: 1)
        #expect((prev.data, prev.prevRequestKey) == ([1], "p"))
        #expect((Fetched(data: 1, nextKey: "n").data, Fetched(data: 1, nextKey: "n").nextKey) == (1, "n"))
        let first = FetchedInitial(data: 1, nextKey: "n", prevKey: "p")
        #expect((first.data, first.nextKey, first.prevKey) == (1, "n", "p"))
        #expect((FetchedNext(data: 1, nextKey: nil).data, FetchedNext(data: 1, nextKey: nil).nextKey) == (1, nil))
        #expect((FetchedPrev(data: 1, prevKey: nil).data, FetchedPrev(data: 1, prevKey: nil).prevKey) == (1, nil))
    }

    @Test("a paginated list is written as its documentation writes it", .rule("StoreFlowable F24"))
    func f24() async throws {
        struct Item: Sendable, Equatable { let id: Int }

        final class ItemCacher: PaginationCacher<UnitHash, Item>, @unchecked Sendable {  // it adds no property
            override var expireSeconds: Double { 60 * 30 }
        }

        struct ItemFetcher: PaginationFetcher {
            func fetch(param: UnitHash) async throws -> PaginationFetcher.Result<Item> {
                Result(data: [Item(id: 0)], nextRequestKey: "1")
            }

            func fetchNext(nextKey: String, param: UnitHash) async throws -> PaginationFetcher.Result<Item> {
                Result(data: [Item(id: 1)], nextRequestKey: nil)
            }
        }

        let client = QueryLab().client
        let list = AnyStoreFlowable.from(cacher: ItemCacher(), fetcher: ItemFetcher(), client: client)
        #expect(try await list.requireData().map(\.id) == [0])
        await list.requestNextData()
        #expect(try await list.requireData(from: .cache).map(\.id) == [0, 1])
    }
}
