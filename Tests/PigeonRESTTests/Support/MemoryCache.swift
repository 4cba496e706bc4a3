import Dispatch
import Foundation
import PigeonCore
import PigeonREST

/// A cache of entities in memory that records its calls, and that can exclude resources.
final class MemoryCache: EntityCache {
    typealias Key = String

    private struct State {
        var entities: [String: Entity<any Sendable>] = [:]
        var calls: [String] = []
    }

    private let state = Locked(State())
    private let isIncluded: @Sendable (Resource) -> Bool
    let workQueue: DispatchQueue

    init(on queue: DispatchQueue = .global(), for isIncluded: @escaping @Sendable (Resource) -> Bool = { _ in true }) {
        workQueue = queue
        self.isIncluded = isIncluded
    }

    var calls: [String] { state.withLock { $0.calls } }

    subscript(path: String) -> Entity<any Sendable>? {
        get { state.withLock { $0.entities[path] } }
        set { state.withLock { $0.entities[path] = newValue } }
    }

    private func note(_ call: String) {
        state.withLock { $0.calls.append(call) }
    }

    func key(for resource: Resource) -> String? {
        note("key")
        return isIncluded(resource) ? resource.url.path : nil
    }

    func readEntity(forKey key: String) -> Entity<any Sendable>? {
        check()
        note("read")
        return self[key]
    }

    func writeEntity(_ entity: Entity<any Sendable>, forKey key: String) {
        check()
        note("write")
        self[key] = entity
    }

    func removeEntity(forKey key: String) {
        check()
        note("remove")
        self[key] = nil
    }

    func removeEntities(ofResourcesWhere isMeant: @Sendable (URL) -> Bool) {
        check()
        note("removeAll")
        for path in state.withLock({ Array($0.entities.keys) }) {
            if let url = URL(string: "https://example.com\(path)"), isMeant(url) { self[path] = nil }
        }
    }

    private func check() {
        dispatchPrecondition(condition: .onQueue(workQueue))
    }
}
