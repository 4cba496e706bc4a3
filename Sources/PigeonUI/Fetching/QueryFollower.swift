#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    internal import SwiftUI

    /// Follows a query for as long as a view lives.
    @MainActor
    final class QueryFollower<Value: Sendable>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var client: QueryClient?
        private var observer: QueryObserver<Value>?
        private var subscription: QuerySubscription?
        /// Whether the view is being built: what happens within is shown by that, and must not ask for another time.
        private var isBuilding = false
        /// When a change is told that cannot be at once.
        private let turn = MainTurn()

        nonisolated init() {}

        /// The newest snapshot of what a definition says now.
        func snapshot(of definition: QueryDefinition<Value>, by client: QueryClient) -> Snapshot<Value> {
            isBuilding = true
            defer { isBuilding = false }
            return ViewBuilding.during { newest(of: definition, by: client) }
        }

        private func newest(of definition: QueryDefinition<Value>, by client: QueryClient) -> Snapshot<Value> {
            if let observer, self.client === client {
                observer.observe(definition)
                return observer.snapshot
            }
            let observer = client.observe(definition)
            subscription = observer.onChange { [weak self] _ in self?.changed() }
            (self.client, self.observer) = (client, observer)
            return observer.snapshot
        }

        /// Changes come one by one, on any thread; a view is built for the newest.
        private nonisolated func changed() {
            if MainActor.isCurrent, MainActor.assumeIsolated({ tell() }) { return }
            turn.ask { [weak self] in self?.objectWillChange.send() }
        }

        /// - Returns: `false` when that has to wait.
        private func tell() -> Bool {
            if isBuilding { return true }
            guard !ViewBuilding.isGoingOn else { return false }
            objectWillChange.send()
            return true
        }
    }
#endif
