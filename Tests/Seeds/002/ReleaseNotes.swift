import Dispatch
import PigeonStore
import SeedSupport
import Testing

final class MyStateManager: FlowableDataStateManager<UnitHash>, @unchecked Sendable {
    static let shared = MyStateManager()
    private override init() {}
}

// "2.0.0": the notes say `Fetched<[DATA]>`, with `DATA` for an item. A factory's `DATA` is the list.
// swift-format-ignore
// [002.15
struct MyFlowableFactory : PaginationStoreFlowableFactory {

    typealias DATA = [Repo]
    private let githubApi = GithubApi()
    let key = UnitHash()
    let flowableDataStateManager: FlowableDataStateManager<UnitHash> = MyStateManager.shared

    func loadDataFromCache() -> AnyPublisher<[Repo]?, Never> { App.doing(\.diskOfRepos) }
    func saveDataToCache(newData: [Repo]?) -> AnyPublisher<Void, Never> { App.doing { $0.diskOfRepos = newData } }
    func saveNextDataToCache(cachedData: [Repo], newData: [Repo]) -> AnyPublisher<Void, Never> {
        saveDataToCache(newData: cachedData + newData)
    }
    func needRefresh(cachedData: [Repo]) -> AnyPublisher<Bool, Never> { App.doing(\.isExpired) }
    func fetchDataFromOrigin() -> AnyPublisher<Fetched<[Repo]>, Error> {
        githubApi.getRepos(nextPageToken: nil).map { data in
            Fetched(data: data, nextKey: data.nextPageToken)
        }.eraseToAnyPublisher()
    }

    func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<DATA>, Error> {
        githubApi.getRepos(nextPageToken: nextKey).map { data in
            Fetched(data: data, nextKey: data.nextPageToken)
        }.eraseToAnyPublisher()
    }
}
// 002.15]

private enum Behavior {
    typealias DATA = Repo

    // "Behavior Changes": the notes do not say who keeps the subscription. Here the caller does.
    static func subscribe(
        to flowable: AnyPaginationStoreFlowable<UnitHash, [Repo]>, _ seen: Journal
    ) -> AnyCancellable {
        // [002.16
        flowable.publish()
            .receive(on: DispatchQueue.main)
            .sink { state in
                state.doAction(
                    onLoading: { (contents: [DATA]?) in
                        // Whole (Initial) data loading.
                        seen.add("loading")
                    },
                    onCompleted: { (contents: [DATA], next: AdditionalLoadingState, _) in
                        // Whole (Initial) data loading completed.
                        next.doAction(
                            onFixed: { (canRequestAdditionalData: Bool) in
                                // No additional processing.
                                seen.add("\(contents.map(\.name)) \(canRequestAdditionalData ? "more" : "end")")
                            },
                            onLoading: {
                                // Additional data loading.
                                seen.add("\(contents.map(\.name)) and a page")
                            },
                            onError: { (error: Error) in
                                // Additional loading error.
                                seen.add("\(contents.map(\.name)) and no page")
                            }
                        )
                    },
                    onError: { (error: Error) in
                        // Whole (Initial) data loading error.
                        seen.add("error")
                    }
                )
            }
        // 002.16]
    }
}

extension Seed002 {
    @MainActor
    struct ReleaseNotes {
        @Test func `the state is completed during additional loads, and an empty key is the end`() async throws {
            Seed002.begin()
            let seen = Journal()
            let flowable = MyFlowableFactory().create()
            let subscription = Behavior.subscribe(to: flowable, seen)
            _ = await seen.take(until: #"["first"] more"#)
            let next: AnyPublisher<Void, Never> = flowable.requestNextData()
            App.world.withLock { $0.failure = Broken("offline") }
            try await next.first()
            App.world.withLock { $0.failure = nil }
            for _ in 1...2 { try await next.first() }
            #expect(
                await seen.take(until: #"["first", "second"] end"#) == [
                    #"["first"] and a page"#, #"["first"] and no page"#, #"["first"] and a page"#,
                    #"["first", "second"] end"#,
                ])
            #expect(App.takeAsked() == ["repos ", "repos second", "repos second"])
            subscription.cancel()
        }
    }
}
