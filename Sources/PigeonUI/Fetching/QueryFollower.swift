#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    internal import SwiftUI

    /// Observes a query for the lifetime of a view.
    @MainActor
    final class QueryFollower<Value: Sendable>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var client: QueryClient?
        private var observer: QueryObserver<Value>?
        private var subscription: QuerySubscription?
        /// True while the view is being built. The build shows changes that happen during it, so they must not request
        /// another one.
        private var isBuilding = false
        /// Schedules the notification of a change that cannot be sent at once.
        private let turn = MainTurn()

        nonisolated init() {}

        /// Returns the newest snapshot of a definition, which may differ from the last one.
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

        /// Handles a change. Called on any thread, for one change at a time. The view is built for the newest one.
        private nonisolated func changed() {
            if MainActor.isCurrent, MainActor.assumeIsolated({ tell() }) { return }
            turn.ask { [weak self] in self?.objectWillChange.send() }
        }

        /// - Returns: `false` if the notification has to wait.
        private func tell() -> Bool {
            if isBuilding { return true }
            guard !ViewBuilding.isGoingOn else { return false }
            objectWillChange.send()
            return true
        }
    }
#endif
