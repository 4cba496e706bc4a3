#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    internal import PigeonQueryUI

    /// The newest state that a publisher has sent, on any thread.
    final class NewestState<ID: Equatable & Sendable, State: Sendable>: Sendable {
        /// Identifies the publisher.
        let id: ID
        private let newest = Locked<State?>(nil)

        init(of id: ID) {
            self.id = id
        }

        /// `nil` until the publisher sends a state.
        var state: State? { newest.withLock { $0 } }

        func put(_ state: State) {
            newest.update { $0 = state }
        }
    }

    extension ViewFollower {
        /// Returns the newest state of the publisher with an identity. `nil` until it sends one.
        ///
        /// - Parameter publisher: Makes the publisher. Called only if the identity changed.
        func state<ID: Equatable & Sendable, State: Sendable>(
            of id: ID, from publisher: () -> AnyPublisher<State, Never>
        ) -> State? where Source == NewestState<ID, State>? {
            if let source, source.id == id { return source.state }
            let newest = NewestState<ID, State>(of: id)
            source = newest
            follow { changed in
                publisher().sink { @Sendable state in  // lets Swift accept any thread
                    newest.put(state)
                    changed()
                }
            }
            return newest.state
        }
    }
#endif
