#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore

    /// Reads in the background, because a cache may have to read a disk.
    final class BackgroundReader<Value: Sendable>: Sendable {
        private let state: Locked<(value: Value, isReading: Bool)>

        init(_ value: Value) {
            state = Locked((value, false))
        }

        var value: Value { state.withLock { $0.value } }

        /// Does nothing while another reading is in progress.
        func refresh(_ read: @escaping @Sendable () -> Value) {
            let isFirst = state.withLock { state in
                defer { state.isReading = true }
                return !state.isReading
            }
            guard isFirst else { return }
            DispatchQueue.global(qos: .utility).async { [self] in
                let value = read()
                state.withLock { $0 = (value, false) }
            }
        }
    }

    struct CacheReport {
        let name: String
        /// `nil` if the cache does not know, or cannot be read.
        let totals: QueryCacheTotals?

        init(of cache: any QueryCacheType) {
            name = "\(type(of: cache))"
            totals = (try? cache.totals()) ?? nil
        }

        func write(to json: inout JSONText, since start: Date) {
            func time(_ date: Date?) -> Double? { date.map { $0.timeIntervalSince(start) * 1000 } }
            json.object { json in
                json.field("name", name)
                json.field("records", totals?.records)
                json.field("bytes", totals?.bytes)
                json.field("oldestAt", time(totals?.oldest))
                json.field("newestAt", time(totals?.newest))
            }
        }
    }

    struct RecordReport: Equatable {
        let cache: String
        let bytes: Int
        let savedAt: Date
        let isStale: Bool

        /// Reads the record of an entry. `nil` if there is none.
        init?(of key: QueryKey, in cache: any QueryRecordStore) {
            guard let record = try? cache.record(for: key) else { return nil }
            self.cache = "\(type(of: cache))"
            (bytes, savedAt, isStale) = (record.data.count, record.savedAt, record.isStale)
        }

        func write(to json: inout JSONText, since start: Date) {
            json.object { json in
                json.field("cache", cache)
                json.field("bytes", bytes)
                json.field("savedAt", savedAt.timeIntervalSince(start) * 1000)
                json.field("isStale", isStale)
            }
        }
    }
#endif
