import PigeonStore

extension StoreBench {
    struct PlainFetcher: PigeonStore.Fetcher {
        let origin: Origin

        func fetch(param: Int) async throws -> [Int] { try await origin.fetch("fetch").data }
    }

    struct OneWayFetcher: PaginationFetcher {
        let origin: Origin

        func fetch(param: Int) async throws -> PaginationFetcherResult<Int> {
            let page = try await origin.fetch("fetch")
            return PaginationFetcherResult(data: page.data, nextRequestKey: page.next)
        }

        func fetchNext(nextKey: String, param: Int) async throws -> PaginationFetcherResult<Int> {
            let page = try await origin.fetch("next \(nextKey)")
            return PaginationFetcherResult(data: page.data, nextRequestKey: page.next)
        }
    }

    struct TwoWayFetcher: TwoWayPaginationFetcher {
        let origin: Origin

        func fetch(param: Int) async throws -> TwoWayPaginationFetcherResultInitial<Int> {
            let page = try await origin.fetch("fetch")
            return TwoWayPaginationFetcherResultInitial(
                data: page.data, nextRequestKey: page.next, prevRequestKey: page.prev)
        }

        func fetchNext(nextKey: String, param: Int) async throws -> TwoWayPaginationFetcherResultNext<Int> {
            let page = try await origin.fetch("next \(nextKey)")
            return TwoWayPaginationFetcherResultNext(data: page.data, nextRequestKey: page.next)
        }

        func fetchPrev(prevKey: String, param: Int) async throws -> TwoWayPaginationFetcherResultPrev<Int> {
            let page = try await origin.fetch("prev \(prevKey)")
            return TwoWayPaginationFetcherResultPrev(data: page.data, prevRequestKey: page.prev)
        }
    }
}
