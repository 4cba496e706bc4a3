#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    internal import SwiftUI

    /// Subscribes to one publisher of states at a time, for the lifetime of a view.
    @MainActor
    final class PublisherFollower<ID: Equatable & Sendable, State: Sendable>: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var id: ID?
        private var state: State?
        private var subscription: AnyCancellable?

        nonisolated init() {}

        /// Returns the newest state of the publisher with an identity. `nil` until it sends one.
        ///
        /// - Parameter publisher: Makes the publisher. Called only if the identity changed.
        func state(of id: ID, from publisher: () -> AnyPublisher<State, Never>) -> State? {
            guard id != self.id else { return state }
            self.id = id
            state = nil
            // States arrive on any thread. The newest one is shown, in whatever order the main actor runs.
            let newest = Newest<State>()
            // Subscribes to the new publisher first, so that a load that both share is not cancelled in between.
            subscription = Attaching.by(self) {
                publisher().sink { @Sendable [weak self] state in  // lets Swift accept any thread
                    newest.put(state)
                    MainActor.runSoon { self?.show(newest, of: id) }
                }
            }
            return state
        }

        private func show(_ newest: Newest<State>, of id: ID) {
            guard let taken = newest.take(), id == self.id else { return }
            switch Attaching.object {
            case ObjectIdentifier(self): break  // the view is being built, and shows the state
            case nil: objectWillChange.send()
            case _?: Task { [weak self] in self?.objectWillChange.send() }
            }
            state = taken
        }
    }

    /// Stores the newest value until it is taken.
    private final class Newest<Value: Sendable>: Sendable {
        private let value = Locked<Value?>(nil)

        func put(_ new: Value) {
            let old = value.withLock { value in
                defer { value = new }
                return value
            }
            _ = old  // released outside the lock
        }

        func take() -> Value? {
            value.withLock { value in
                defer { value = nil }
                return value
            }
        }
    }
#endif
