import PigeonStore

extension StoreLab {
    /// A factory whose cache is a place, and whose publishers fetch from an origin.
    protocol PlaceFactory: BaseStoreFlowableFactory where KEY == Int, DATA == [Int] {
        var place: Place { get }
    }

    /// A factory of a list.
    protocol PlaceListFactory: PlaceFactory, BasePaginationStoreFlowableFactory {}

    struct PlainFactory: PlaceFactory, StoreFlowableFactory {
        var key = 1
        let place: Place
        let origin: Origin<Page>
        let flowableDataStateManager: FlowableDataStateManager<Int>

        func fetchDataFromOrigin() -> AnyPublisher<[Int], any Error> {
            origin.publisher("fetch").map(\.numbers).eraseToAnyPublisher()
        }
    }

    struct OneWayFactory: PlaceListFactory, PaginationStoreFlowableFactory {
        var key = 1
        let place: Place
        let origin: Origin<Page>
        let flowableDataStateManager: FlowableDataStateManager<Int>

        func fetchDataFromOrigin() -> AnyPublisher<Fetched<[Int]>, any Error> {
            origin.publisher("fetch").map { Fetched(data: $0.numbers, nextKey: $0.next) }.eraseToAnyPublisher()
        }

        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<Fetched<[Int]>, any Error> {
            origin.publisher("next \(nextKey)").map { Fetched(data: $0.numbers, nextKey: $0.next) }
                .eraseToAnyPublisher()
        }
    }

    struct TwoWayFactory: PlaceListFactory, TwoWayPaginationStoreFlowableFactory {
        var key = 1
        let place: Place
        let origin: Origin<Page>
        let flowableDataStateManager: FlowableDataStateManager<Int>

        func fetchDataFromOrigin() -> AnyPublisher<FetchedInitial<[Int]>, any Error> {
            origin.publisher("fetch").map { FetchedInitial(data: $0.numbers, nextKey: $0.next, prevKey: $0.prev) }
                .eraseToAnyPublisher()
        }

        func fetchNextDataFromOrigin(nextKey: String) -> AnyPublisher<FetchedNext<[Int]>, any Error> {
            origin.publisher("next \(nextKey)").map { FetchedNext(data: $0.numbers, nextKey: $0.next) }
                .eraseToAnyPublisher()
        }

        func fetchPrevDataFromOrigin(prevKey: String) -> AnyPublisher<FetchedPrev<[Int]>, any Error> {
            origin.publisher("prev \(prevKey)").map { FetchedPrev(data: $0.numbers, prevKey: $0.prev) }
                .eraseToAnyPublisher()
        }

        func savePrevDataToCache(cachedData: [Int], newData: [Int]) -> AnyPublisher<Void, Never> {
            place.publisher(.add, "\(newData) before \(cachedData)", after: ()) { $0.data = newData + cachedData }
        }
    }
}

extension StoreLab.PlaceFactory {
    func loadDataFromCache() -> AnyPublisher<[Int]?, Never> {
        place.publisher(.load, after: [999]) { $0.data }
    }

    func saveDataToCache(newData: [Int]?) -> AnyPublisher<Void, Never> {
        place.publisher(.save, newData.map { "\($0)" } ?? "nil", after: ()) {
            ($0.data, $0.isStale) = (newData, $0.savesStale)
        }
    }

    func needRefresh(cachedData: [Int]) -> AnyPublisher<Bool, Never> {
        place.publisher(.needRefresh, "\(cachedData)", after: !place.kept.isStale) { $0.isStale }
    }
}

extension StoreLab.PlaceListFactory {
    func saveNextDataToCache(cachedData: [Int], newData: [Int]) -> AnyPublisher<Void, Never> {
        place.publisher(.add, "\(newData) after \(cachedData)", after: ()) { $0.data = cachedData + newData }
    }

    func loadKeysFromCache() -> AnyPublisher<PageKeys?, Never> {
        place.publisher(.loadKeys, after: PageKeys(next: "999", prev: "-999")) { $0.keys }
    }

    func saveKeysToCache(keys: PageKeys) -> AnyPublisher<Void, Never> {
        place.publisher(.saveKeys, "\(keys.next ?? "-") \(keys.prev ?? "-")", after: ()) { $0.keys = keys }
    }
}
