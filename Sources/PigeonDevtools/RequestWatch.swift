#if Devtools
    internal import PigeonBase
    internal import PigeonCore

    /// Follows the requests of the process. Keeps the newest ones.
    final class RequestWatch: @unchecked Sendable {  // `init` sets all but `state`
        private struct State {
            var records: [UInt64: RequestRecord] = [:]
            var changed: Set<UInt64> = []
        }

        private let state = Locked(State())
        private var listener: UInt64?

        private static let capacity = 500

        init() {
            listener = RequestLog.add { [weak self] in self?.keep($0) }
        }

        deinit {
            if let listener { RequestLog.remove(listener) }
        }

        private func keep(_ record: RequestRecord) {
            state.withLock { state in
                state.records[record.id] = record
                state.changed.insert(record.id)
                guard state.records.count > 2 * Self.capacity else { return }
                let old = state.records.keys.sorted().dropLast(Self.capacity)
                for id in old { state.records[id] = nil }
                state.changed.subtract(old)
            }
        }

        /// The newest requests, oldest first.
        func all() -> [RequestRecord] {
            state.withLock { $0.records.values.sorted { $0.id < $1.id } }.suffix(Self.capacity)
        }

        /// The requests that began or changed since the last call.
        func takeChanges() -> [RequestRecord] {
            state.withLock { state in
                defer { state.changed = [] }
                return state.changed.sorted().compactMap { state.records[$0] }
            }
        }
    }

    extension RequestRecord {
        /// True if the request belongs to the client, or to none.
        func concerns(_ client: QueryClient) -> Bool {
            guard let origin = fetch as? FetchOrigin else { return true }
            return origin.client == ObjectIdentifier(client)
        }

        var key: QueryKey? { (fetch as? FetchOrigin)?.key }
    }

    extension Messages {
        static func requests(
            _ records: [RequestRecord], of client: QueryClient, _ number: Int, _ names: KeyNames
        ) -> JSONText {
            let (now, systemNow) = (client.environment.clock.now(), SystemClock().now())
            return message("requests", of: number) { json in
                json.array("requests", of: records) { json, record in
                    let name = record.key.map(names.name(of:))
                    let start = now.advanced(by: .zero - record.start.duration(to: systemNow))
                    json.object { json in
                        json.field("id", record.id)
                        json.field("t", start.milliseconds)
                        json.field("key", name?.text)
                        json.field("method", record.method)
                        json.field("url", name?.isHidden == true ? "hidden" : record.address)
                        json.field("status", record.status)
                        json.field("bytes", record.duration == nil ? nil : record.received)
                        json.field("headMs", record.headAfter.map { $0.inSeconds * 1000 })
                        json.field("ms", record.duration.map { $0.inSeconds * 1000 })
                        json.field("error", record.error)
                        json.field("curl", name?.isHidden == true ? "hidden" : record.curl)
                    }
                }
            }
        }
    }
#endif
