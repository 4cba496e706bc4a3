#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonOutbox

    /// Follows the events of a client, whether or not a browser is connected. Keeps the newest ones.
    final class ClientWatch: @unchecked Sendable {  // `init` sets all but `state`, and weak loads are atomic
        let id: Int
        let name: String
        private(set) weak var client: QueryClient?
        private let state = Locked(State())
        private var subscriptions: [QuerySubscription] = []

        private struct State {
            var ring: [QueryEvent] = []
            var counters = EventCounters()
            var isOutboxChanged = true
        }

        static let capacity = 20_000

        init(_ client: QueryClient, id: Int, name: String) {
            (self.client, self.id, self.name) = (client, id, name)
            let events = client.onEvent { [weak self] in self?.append($0) }
            let outbox = client.outbox.onChange { [weak self] in self?.state.withLock { $0.isOutboxChanged = true } }
            subscriptions = [events, outbox]
        }

        /// Called by the client for each event, on the thread that caused it.
        private func append(_ event: QueryEvent) {
            let replaced = state.withLock { state -> QueryEvent? in
                state.counters.count(event)
                let place = (state.counters.events - 1) % Self.capacity
                guard place < state.ring.count else {
                    state.ring.append(event)
                    return nil
                }
                defer { state.ring[place] = event }
                return state.ring[place]
            }
            _ = replaced  // its error is released outside the lock
        }

        var counters: EventCounters { state.withLock { $0.counters } }

        /// True once after each change of the outbox.
        func takeOutboxChange() -> Bool {
            state.withLock { state in
                defer { state.isOutboxChanged = false }
                return state.isOutboxChanged
            }
        }

        /// The events of an entry that are still kept, oldest first.
        func events(of key: QueryKey) -> [QueryEvent] {
            state.withLock { state in
                let oldest = state.ring.count < Self.capacity ? 0 : state.counters.events % Self.capacity
                return (state.ring[oldest...] + state.ring[..<oldest]).filter { $0.key == key }
            }
        }

        /// The names of mutations, as far as their events are still kept.
        func names(ofMutations numbers: Set<UInt64>) -> [UInt64: String] {
            guard !numbers.isEmpty else { return [:] }
            return state.withLock { state in
                let named = state.ring.lazy.compactMap { event in event.mutation.map { (event.mutationNumber, $0) } }
                return named.reduce(into: [:]) { names, event in
                    if let number = event.0, numbers.contains(number) { names[number] = event.1 }
                }
            }
        }

        /// The events after the first `count` of the client, without those that are no longer kept.
        func events(after count: Int) -> [QueryEvent] {
            state.withLock { state in
                let all = state.counters.events
                let first = max(count, all - state.ring.count)
                return (first..<max(first, all)).map { state.ring[$0 % Self.capacity] }
            }
        }
    }

    struct EventCounters: Equatable {
        var events = 0
        var fetches = 0
        var joined = 0
        var failures = 0
        var mutations = 0

        mutating func count(_ event: QueryEvent) {
            events += 1
            switch event.kind {
            case .fetching(attempt: 1), .loadingPage(_, attempt: 1): fetches += 1
            // A caller whose options are ignored has an event for that, and this one if it joins.
            case .joined: joined += 1
            case .mutating: mutations += 1
            default: break
            }
            if event.kind.isFailure { failures += 1 }
        }
    }
#endif
