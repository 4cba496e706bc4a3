#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    internal import SwiftUI

    /// Follows one publisher of states at a time, for as long as a view lives.
    @MainActor
    final class PublisherFollower<ID: Equatable & Sendable, State: Sendable>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var id: ID?
        private var state: State?
        private var subscription: AnyCancellable?
        /// Whether the view is being built: what happens within is shown by that, and must not ask for another time.
        private var isBuilding = false

        nonisolated init() {}

        /// The newest state of what has an identity; `nil` until there is one.
        ///
        /// - Parameter publisher: Asked for when another identity is to be followed than before.
        func state(of id: ID, from publisher: () -> AnyPublisher<State, Never>) -> State? {
            guard id != self.id else { return state }
            isBuilding = true
            defer { isBuilding = false }
            self.id = id
            state = nil
            // States come from any thread, and the newest is shown, whichever thread's turn comes first.
            let newest = Newest<State>()
            // The new one first: a load that both share is not to be cancelled in between.
            subscription = ViewBuilding.during {
                publisher().sink { @Sendable [weak self] state in  // else Swift checks that it is the main thread
                    newest.put(state)
                    MainActor.runSoon { self?.show(newest, of: id) }
                }
            }
            return state
        }

        private func show(_ newest: Newest<State>, of id: ID) {
            guard let taken = newest.take(), id == self.id else { return }
            if !isBuilding { tell() }
            state = taken
        }

        private func tell() {
            guard ViewBuilding.isGoingOn else { return objectWillChange.send() }
            Task { [weak self] in self?.objectWillChange.send() }
        }
    }

    /// The newest of what came, until it is taken.
    private final class Newest<Value: Sendable>: Sendable {
        private let value = Locked<Value?>(nil)

        func put(_ new: Value) {
            let old = value.withLock { value in
                defer { value = new }
                return value
            }
            _ = old  // freed after the lock is
        }

        func take() -> Value? {
            value.withLock { value in
                defer { value = nil }
                return value
            }
        }
    }
#endif
