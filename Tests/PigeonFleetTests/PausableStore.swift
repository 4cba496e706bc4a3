import PigeonCore
import PigeonFleet
import TestSupport

/// A connection with a store that can be interrupted, for one member.
final class PausableStore: FleetStore {
    private let store: any FleetStore
    private let paused = Recorder<Bool>()
    private let rivals = Recorder<FleetNews.Change>()
    private let renewalsHang: Bool
    /// The begins and ends of the renewals that hang.
    let renewals = Recorder<String>()

    init(_ store: any FleetStore, renewalsHang: Bool = false) {
        (self.store, self.renewalsHang) = (store, renewalsHang)
    }

    var isPaused: Bool {
        get { paused.all.last ?? false }
        set { paused.append(newValue) }
    }

    /// Lets another member publish a change just before this one publishes its next one.
    func publishFirst(_ change: FleetNews.Change) { rivals.append(change) }

    private func check() throws {
        if isPaused { throw FleetError.unreachable }
    }

    func value(for key: QueryKey) async throws -> FleetValue? {
        try check()
        return try await store.value(for: key)
    }

    func lease(_ key: QueryKey, for ask: FleetAsk) async throws -> FleetLease {
        try check()
        return try await store.lease(key, for: ask)
    }

    func renew(_ key: QueryKey, for ask: FleetAsk) async throws -> Bool {
        try check()
        if renewalsHang {
            renewals.append("begin")
            defer { renewals.append("end") }
            try await SharedOneShot<Void>().value(onCancel: .resolves)
        }
        return try await store.renew(key, for: ask)
    }

    func end(_ key: QueryKey, for ask: FleetAsk, with outcome: FleetOutcome) async throws -> Bool {
        try check()
        return try await store.end(key, for: ask, with: outcome)
    }

    func publish(_ changes: [FleetNews.Change], by member: String) async throws -> FleetPosition {
        try check()
        for change in rivals.clear() { _ = try await store.publish([change], by: "a rival") }
        return try await store.publish(changes, by: member)
    }

    func news(after position: FleetPosition?, waiting time: Duration) async throws -> FleetReading {
        try check()
        let reading = try await store.news(after: position, waiting: time)
        try check()
        return reading
    }
}
