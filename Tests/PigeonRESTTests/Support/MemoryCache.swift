import Dispatch
import Foundation
import PigeonCore
import PigeonREST

/// A cache of entities in memory that records its calls, and that can exclude resources, and separate users.
final class MemoryCache: EntityCache {
    typealias Key = String

    private struct State {
        var entities: [String: Entity<any Sendable>] = [:]
        var calls: [String] = []
        var user = ""
        var requestCount = 0
    }

    private let state = Locked(State())
    private let isIncluded: @Sendable (Resource) -> Bool
    private let queue: DispatchQueue

    init(on queue: DispatchQueue = .global(), for isIncluded: @escaping @Sendable (Resource) -> Bool = { _ in true }) {
        self.queue = queue
        self.isIncluded = isIncluded
    }

    var calls: [String] { state.withLock { $0.calls } }

    /// Number of operations that were added to the queue.
    var requestCount: Int { state.withLock { $0.requestCount } }

    /// The signed-in user, who is a part of the keys.
    var user: String {
        get { state.withLock { $0.user } }
        set { state.withLock { $0.user = newValue } }
    }

    var workQueue: DispatchQueue {
        state.withLock { $0.requestCount += 1 }
        return queue
    }

    subscript(path: String) -> Entity<any Sendable>? {
        get { state.withLock { $0.entities[path] } }
        set { state.withLock { $0.entities[path] = newValue } }
    }

    private func note(_ call: String) {
        state.withLock { $0.calls.append(call) }
    }

    func key(for resource: Resource) -> String? {
        note("key")
        return isIncluded(resource) ? user + resource.url.path : nil
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
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
