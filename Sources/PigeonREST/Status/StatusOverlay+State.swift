internal import PigeonCore

extension StatusOverlay {
    struct State: Sendable {
        struct Watched: Sendable {
            let id: Int
            let loadable: any Loadable
            var count = 1
            var subscription: QuerySubscription?
        }

        struct Told: Sendable {
            let tell: Listener
            /// The status that the listener received last.
            var told: ResourceStatus?
        }

        var displayPriority: [StatusRule]
        var status = ResourceStatus.nothing
        var manualLoads = 0
        var listeners: [Int: Told] = [:]
        var isUpdating = false
        var isOutdated = false
        private var watched: [Watched] = []
        private var nextID = 0

        init(displayPriority: [StatusRule]) {
            self.displayPriority = displayPriority
        }

        var loadables: [any Loadable] { watched.map(\.loadable) }

        /// Increments the watch count of a resource. Returns the number of the new watch, or `nil` if the resource is
        /// watched already.
        mutating func watch(_ loadable: any Loadable) -> Int? {
            if let index = index(of: loadable) {
                watched[index].count += 1
                return nil
            }
            let id = makeID()
            watched.append(Watched(id: id, loadable: loadable))
            return id
        }

        /// Stores the subscription to a resource's changes. Returns `false` if the resource is no longer watched.
        mutating func keep(_ subscription: QuerySubscription, of id: Int) -> Bool {
            guard let index = watched.firstIndex(where: { $0.id == id }) else { return false }
            watched[index].subscription = subscription
            return true
        }

        /// Decrements the watch count of a resource. Returns the removed watch if that was the last one.
        mutating func unwatch(_ loadable: any Loadable) -> Watched? {
            guard let index = index(of: loadable) else { return nil }
            watched[index].count -= 1
            return watched[index].count == 0 ? watched.remove(at: index) : nil
        }

        mutating func add(_ listener: @escaping Listener) -> Int {
            let id = makeID()
            listeners[id] = Told(tell: listener)
            return id
        }

        private mutating func makeID() -> Int {
            nextID += 1
            return nextID
        }

        private func index(of loadable: any Loadable) -> Int? {
            watched.firstIndex { $0.loadable === loadable }
        }
    }
}
