import PigeonStore

extension StoreBench {
    /// A cacher of any kind, which creates the bench's store.
    protocol CacherOfBench: Sendable {
        func store(_ origin: Origin, _ client: QueryClient) -> AnyStoreFlowable<Int, [Int]>
        func clear()
    }

    final class PlainCacher: Cacher<Int, [Int]>, CacherOfBench, @unchecked Sendable {  // its properties are Sendable
        private let place: Place
        private let name: QueryKey

        init(_ place: Place, _ queryKey: QueryKey) {
            self.place = place
            name = queryKey
            super.init()
        }

        override var queryKey: QueryKey { name }

        func store(_ origin: Origin, _ client: QueryClient) -> AnyStoreFlowable<Int, [Int]> {
            .from(cacher: self, fetcher: PlainFetcher(origin: origin), param: 1, client: client)
        }

        override func loadData(param: Int) async throws -> [Int]? { try await place.load() }
        override func saveData(data: [Int]?, param: Int) async throws { try await place.save(data) }
        override func saveDataCachedAt(epochSeconds: Double, param: Int) async throws { place.stamp(epochSeconds) }
        override func needRefresh(cachedData: [Int], param: Int) async throws -> Bool {
            try await place.needRefresh(cachedData)
        }
    }

    /// Caches lists that grow at their end or at both sides.
    final class PagedCacher: TwoWayPaginationCacher<Int, Int>, CacherOfBench, @unchecked Sendable {  // as above
        private let place: Place
        private let name: QueryKey
        private let kind: Kind

        init(_ place: Place, _ queryKey: QueryKey, _ kind: Kind) {
            self.place = place
            name = queryKey
            self.kind = kind
            super.init()
        }

        override var queryKey: QueryKey { name }

        func store(_ origin: Origin, _ client: QueryClient) -> AnyStoreFlowable<Int, [Int]> {
            guard kind == .twoWay else {
                let store: AnyPaginationStoreFlowable<Int, [Int]> = .from(
                    cacher: self, fetcher: OneWayFetcher(origin: origin), param: 1, client: client)
                return store
            }
            let store: AnyTwoWayPaginationStoreFlowable<Int, [Int]> = .from(
                cacher: self, fetcher: TwoWayFetcher(origin: origin), param: 1, client: client)
            return store
        }

        override func loadData(param: Int) async throws -> [Int]? { try await place.load() }
        override func saveData(data: [Int]?, param: Int) async throws { try await place.save(data) }
        override func saveDataCachedAt(epochSeconds: Double, param: Int) async throws { place.stamp(epochSeconds) }
        override func needRefresh(cachedData: [Int], param: Int) async throws -> Bool {
            try await place.needRefresh(cachedData)
        }
        override func saveNextData(cachedData: [Int], newData: [Int], param: Int) async throws {
            try await place.addNext(newData, to: cachedData)
        }
        override func savePrevData(cachedData: [Int], newData: [Int], param: Int) async throws {
            try await place.addPrev(newData, to: cachedData)
        }
        override func loadNextRequestKey(param: Int) async throws -> String? { try await place.loadKeys().next }
        override func loadPrevRequestKey(param: Int) async throws -> String? { try await place.loadKeys().prev }
        override func saveNextRequestKey(requestKey: String?, param: Int) async throws {
            try await place.saveKey(.next, requestKey)
        }
        override func savePrevRequestKey(requestKey: String?, param: Int) async throws {
            try await place.saveKey(.previous, requestKey)
        }
    }
}

extension StoreBench.Place {
    func load() async throws -> [Int]? { try await call(.load) { $0.data } }

    func save(_ data: [Int]?) async throws {
        try await call(.save, data.map { "\($0)" } ?? "nil") { ($0.data, $0.isStale) = (data, $0.savesStale) }
    }

    func stamp(_ epochSeconds: Double) {
        if epochSeconds == 0 { change { $0.isStale = true } }
    }

    func needRefresh(_ data: [Int]) async throws -> Bool { try await call(.needRefresh, "\(data)") { $0.isStale } }

    func addNext(_ new: [Int], to old: [Int]) async throws {
        try await call(.add, "\(new) after \(old)") { $0.data = old + new }
    }

    func addPrev(_ new: [Int], to old: [Int]) async throws {
        try await call(.add, "\(new) before \(old)") { $0.data = new + old }
    }

    func loadKeys() async throws -> PageKeys { try await call(.loadKeys) { $0.keys } }

    func saveKey(_ direction: PageDirection, _ key: String?) async throws {
        try await call(.saveKeys, key ?? "-") { $0.keys[direction] = key }
    }
}
