import PigeonStore

/// A page of numbers, with the keys of the pages before and after it.
struct Page: Sendable {
    let numbers: [Int]
    let next: String?
    let prev: String?

    init(_ numbers: [Int], next: String? = nil, prev: String? = nil) {
        (self.numbers, self.next, self.prev) = (numbers, next, prev)
    }

    init(_ numbers: Int..., next: String? = nil, prev: String? = nil) {
        self.init(numbers, next: next, prev: prev)
    }
}

/// The names of the calls that fetch a list.
struct PageNames: Sendable {
    let first: String
    /// The text before the key of a page.
    let next: String
    let prev: String

    /// The key of a page alone, and `first`.
    static let keys = PageNames(first: "first", next: "", prev: "")
    /// The direction and the key of a page, such as `next 3`, and `fetch`.
    static let directions = PageNames(first: "fetch", next: "next ", prev: "prev ")
}

/// Fetches numbers that are not a list of pages.
struct WholeFetcher: PigeonStore.Fetcher {
    let origin: Origin<Page>

    func fetch(param: Int) async throws -> [Int] { try await origin.ask("fetch").numbers }
}

struct ListFetcher: PaginationFetcher {
    let origin: Origin<Page>
    var names = PageNames.keys

    func fetch(param: Int) async throws -> PaginationFetcher.Result<Int> {
        let page = try await origin.ask(names.first)
        return Result(data: page.numbers, nextRequestKey: page.next)
    }

    func fetchNext(nextKey: String, param: Int) async throws -> PaginationFetcher.Result<Int> {
        let page = try await origin.ask(names.next + nextKey)
        return Result(data: page.numbers, nextRequestKey: page.next)
    }
}

struct TwoWayListFetcher: TwoWayPaginationFetcher {
    let origin: Origin<Page>
    var names = PageNames.keys

    func fetch(param: Int) async throws -> TwoWayPaginationFetcher.Result.Initial<Int> {
        let page = try await origin.ask(names.first)
        return Result.Initial(data: page.numbers, nextRequestKey: page.next, prevRequestKey: page.prev)
    }

    func fetchNext(nextKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Next<Int> {
        let page = try await origin.ask(names.next + nextKey)
        return Result.Next(data: page.numbers, nextRequestKey: page.next)
    }

    func fetchPrev(prevKey: String, param: Int) async throws -> TwoWayPaginationFetcher.Result.Prev<Int> {
        let page = try await origin.ask(names.prev + prevKey)
        return Result.Prev(data: page.numbers, prevRequestKey: page.prev)
    }
}
