import PigeonStore

extension StoreLab {
    /// Caches numbers in a place, which may be a list that grows at its end or at both sides.
    final class PlaceCacher: TwoWayPaginationCacher<Int, Int>, @unchecked Sendable {  // its properties are Sendable
        private let place: Place
        private let name: QueryKey

        init(_ place: Place, _ queryKey: QueryKey) {
            self.place = place
            name = queryKey
            super.init()
        }

        override var queryKey: QueryKey { name }

        override func loadData(param: Int) async throws -> [Int]? { try await place.call(.load) { $0.data } }
        override func saveData(data: [Int]?, param: Int) async throws {
            try await place.call(.save, data.map { "\($0)" } ?? "nil") { ($0.data, $0.isStale) = (data, $0.savesStale) }
        }
        override func saveDataCachedAt(epochSeconds: Double, param: Int) async throws {
            if epochSeconds == 0 { place.change { $0.isStale = true } }
        }
        override func needRefresh(cachedData: [Int], param: Int) async throws -> Bool {
            try await place.call(.needRefresh, "\(cachedData)") { $0.isStale }
        }
        override func saveNextData(cachedData: [Int], newData: [Int], param: Int) async throws {
            try await place.call(.add, "\(newData) after \(cachedData)") { $0.data = cachedData + newData }
        }
        override func savePrevData(cachedData: [Int], newData: [Int], param: Int) async throws {
            try await place.call(.add, "\(newData) before \(cachedData)") { $0.data = newData + cachedData }
        }
        override func loadNextRequestKey(param: Int) async throws -> String? {
            try await place.call(.loadKeys) { $0.keys.next }
        }
        override func loadPrevRequestKey(param: Int) async throws -> String? {
            try await place.call(.loadKeys) { $0.keys.prev }
        }
        override func saveNextRequestKey(requestKey: String?, param: Int) async throws {
            try await place.call(.saveKeys, requestKey ?? "-") { $0.keys.next = requestKey }
        }
        override func savePrevRequestKey(requestKey: String?, param: Int) async throws {
            try await place.call(.saveKeys, requestKey ?? "-") { $0.keys.prev = requestKey }
        }
    }
}
