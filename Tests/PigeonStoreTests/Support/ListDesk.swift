import PigeonStore
import PigeonTesting

/// A page of numbers, with the keys of the pages before and after it.
struct Slice: Sendable {
    let numbers: [Int]
    let next: String?
    let prev: String?

    init(_ numbers: Int..., next: String? = nil, prev: String? = nil) {
        (self.numbers, self.next, self.prev) = (numbers, next, prev)
    }
}

struct ListFetcher: PaginationFetcher {
    let origin: Origin<Slice>

    func fetch(param: Int) async throws -> PaginationFetcher.Result<Int> {
        let slice = try await origin.ask("first")
        return Result(data: slice.numbers, nextRequestKey: slice.next)
    }

    func fetchNext(nextKey: String, param: Int) async throws -> PaginationFetcher.Result<Int> {
        let slice = try await origin.ask(nextKey)
        return Result(data: slice.numbers, nextRequestKey: slice.next)
    }
}

struct TwoWayListFetcher: TwoWayPaginationFetcher {
    let origin: Origin<Slice>

    func fetch(param: Int) async throws -> TwoWayPaginationFetcher.Result.Initial<Int> {
        let slice = try await origin.ask("first")
        return Result.Initial(data: slice.numbers, nextRequestKey: slice.next, prevRequestKey: slice.prev)
    }

    func fetchNext(nextKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Next<Int> {
        let slice = try await origin.ask(nextKey)
        return Result.Next(data: slice.numbers, nextRequestKey: slice.next)
    }

    func fetchPrev(prevKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Prev<Int> {
        let slice = try await origin.ask(prevKey)
        return Result.Prev(data: slice.numbers, prevRequestKey: slice.prev)
    }
}

/// A lab with stores of lists.
struct ListDesk {
    let lab = QueryLab()
    let origin: Origin<Slice>
    let cacher = TwoWayPaginationCacher<Int, Int>(expireSeconds: .infinity, queryKey: "lists")

    init() {
        origin = Origin(lab)
    }

    func list() -> AnyPaginationStoreFlowable<Int, [Int]> {
        AnyStoreFlowable.from(
            cacher: cacher as PaginationCacher<Int, Int>, fetcher: ListFetcher(origin: origin), param: 1,
            client: lab.client)
    }

    func twoWayList() -> AnyTwoWayPaginationStoreFlowable<Int, [Int]> {
        AnyStoreFlowable.from(
            cacher: cacher, fetcher: TwoWayListFetcher(origin: origin), param: 1, client: lab.client)
    }
}
