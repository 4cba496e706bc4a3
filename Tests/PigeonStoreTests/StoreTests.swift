import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("Stores, at a glance")
struct StoreTests {
    struct Failing: Error {}

    struct UserFetcher: PigeonStore.Fetcher {
        let answer: @Sendable (Int) async throws -> String
        func fetch(param: Int) async throws -> String { try await answer(param) }
    }

    struct ListFetcher: TwoWayPaginationFetcher {
        func fetch(param: UnitHash) async throws -> TwoWayPaginationFetcher.Result.Initial<Int> {
            Result.Initial(data: [0, 1], nextRequestKey: "2", prevRequestKey: "-1")
        }
        func fetchNext(nextKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcher.Result.Next<Int> {
            let first = Int(nextKey) ?? 0
            return Result.Next(data: [first, first + 1], nextRequestKey: first >= 4 ? nil : "\(first + 2)")
        }
        func fetchPrev(prevKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcher.Result.Prev<Int> {
            let last = Int(prevKey) ?? 0
            return Result.Prev(data: [last - 1, last], prevRequestKey: "\(last - 2)")
        }
    }

    final class Seen: Sendable {
        private let lines = Locked<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add<T>(_ state: LoadingState<T>) {
            let line = state.doAction(
                onLoading: { "loading \($0.map { "\($0)" } ?? "nothing")" },
                onCompleted: { "completed \($0) \(Self.text($1)) \(Self.text($2))" }, onError: { "error \($0)" })
            lines.withLock { $0.append(line) }
        }
        static func text(_ state: AdditionalLoadingState) -> String {
            state.doAction(onFixed: { $0 ? "more" : "end" }, onLoading: { "loading" }, onError: { "\($0)" })
        }
    }

    @Test("a first load, a second subscriber, an update, a refresh, and the end", .rule("C2"))
    func plain() async throws {
        let lab = QueryLab()
        let count = Locked(0)
        let fetcher = UserFetcher { id in
            "user \(id), \(count.withLock { $0 += 1; return $0 })"
        }
        let cacher = Cacher<Int, String>(expireSeconds: 60)
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: fetcher, param: 1, client: lab.client)
        let seen = Seen()
        let first = store.publish().sink { seen.add($0) }
        #expect(seen.all == ["loading nothing", "completed user 1, 1 end end"])
        let other = Seen()
        let second = store.publish().sink { other.add($0) }
        #expect(other.all == ["completed user 1, 1 end end"])
        await store.update(newData: "me")
        #expect(seen.all.last == "completed me end end")
        #expect(other.all.count == 2)
        await store.refresh()
        #expect(seen.all.suffix(2) == ["loading me", "completed user 1, 2 end end"])
        let data = try await store.requireData()
        #expect(data == "user 1, 2")
        await store.clear()
        #expect(seen.all.last == "error \(NoSuchElementError())")
        first.cancel()
        second.cancel()
    }

    @Test("pages at both sides", .rule("C4"))
    func pages() async throws {
        let lab = QueryLab()
        let cacher = TwoWayPaginationCacher<UnitHash, Int>()
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: ListFetcher(), client: lab.client)
        let seen = Seen()
        let subscription = store.publish().sink { seen.add($0) }
        await store.requestNextData()
        await store.requestPrevData()
        await store.requestNextData()
        await store.requestNextData()
        #expect(
            seen.all == [
                "loading nothing", "completed [0, 1] more more", "completed [0, 1] loading more",
                "completed [0, 1, 2, 3] more more", "completed [0, 1, 2, 3] more loading",
                "completed [-2, -1, 0, 1, 2, 3] more more", "completed [-2, -1, 0, 1, 2, 3] loading more",
                "completed [-2, -1, 0, 1, 2, 3, 4, 5] end more",
            ])
        for await state in store.publish() {
            guard case .completed(let content, _, _) = state else { continue }
            #expect(content.count == 8)
            break
        }
        subscription.cancel()
    }
}
