#if canImport(SwiftUI)
    internal import CombineShim
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    /// Shows that anything is being fetched or changed, for an indicator of the whole program or of a part of it.
    ///
    /// ```swift
    /// struct FeedIndicator: View {
    ///     @UseActivity(.tag("feed")) var activity: ClientActivity
    ///
    ///     var body: some View {
    ///         if activity.isFetching || activity.isMutating { ProgressView() }
    ///     }
    /// }
    /// ```
    ///
    /// The view is built again when the numbers have changed, in the next turn of the main actor. A fetch that begins and
    /// ends within one turn is not shown. It counts the work of the environment's client (see `View.queryClient(_:)`). What
    /// that costs, ``/PigeonCore/QueryClient/activities(of:)`` describes.
    @MainActor
    @propertyWrapper
    public struct UseActivity: nonisolated DynamicProperty {
        @Environment(\.workingClient) private var client
        @StateObject private var follower = ActivityFollower()
        private let filter: KeyFilter
        private let animation: ChangeAnimation

        /// Creates a property that counts fetches and mutations.
        ///
        /// - Parameters:
        ///   - filter: The entries whose fetches count: all, by default. Mutations always count.
        ///   - animation: Animates each change of the view that a new activity causes. `nil`, the default, animates none.
        ///     If the user prefers less motion, nothing is animated.
        public init(_ filter: KeyFilter = .all, animation: Animation? = nil) {
            self.filter = filter
            self.animation = ChangeAnimation(animation)
        }

        /// The current activity.
        public var wrappedValue: ClientActivity { follower.activity(of: filter, in: client) }

        /// Notes the activity that the view is about to show. SwiftUI calls this before it builds the view.
        public nonisolated func update() {
            MainActor.assumeIsolated {
                follower.note(filter, in: client, animation: animation.permitted)
            }
        }
    }

    /// Observes the activity of a client for the lifetime of a view.
    @MainActor
    private final class ActivityFollower: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var client: QueryClient?
        private var filter = KeyFilter.all
        private var animation: Animation?
        /// The activity that the view shows. `nil` if it may be another one than was noted.
        private var shown: ClientActivity?
        private var subscription: QuerySubscription?
        private let turn = MainTurn()

        nonisolated init() {}

        func note(_ filter: KeyFilter, in client: QueryClient, animation: Animation?) {
            (self.filter, self.animation) = (filter, animation)
            if self.client !== client {
                self.client = client
                // Before the activity is read, so that no change is missed.
                subscription = client.onActivity { [turn, weak self] in turn.ask { self?.announce() } }
            }
            shown = client.activity(of: filter)
        }

        func activity(of filter: KeyFilter, in client: QueryClient) -> ClientActivity {
            let activity = client.activity(of: filter)
            // The view shows this one if it reads it while it is built, and otherwise the one that was noted.
            if activity != shown { shown = nil }
            return activity
        }

        private func announce() {
            guard let client, client.activity(of: filter) != shown else { return }
            objectWillChange.send(with: animation)
        }
    }
#endif
