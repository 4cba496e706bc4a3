#if canImport(SwiftUI)
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
        @StateObject private var follower = ViewFollower(ShownActivity())
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
        public var wrappedValue: ClientActivity {
            if follower.source.client == nil { note() }
            let activity = client.activity(of: filter)
            // The view shows this one if it reads it while it is built, and otherwise the one that was noted.
            if activity != follower.source.shown { follower.source.shown = nil }
            return activity
        }

        /// Notes the activity that the view is about to show. SwiftUI calls this before it builds the view.
        public nonisolated func update() {
            // Older SDKs do not promise the main actor. Off it, nothing is noted until the view reads the property.
            if MainActor.isCurrent { MainActor.assumeIsolated { note() } }
        }

        private func note() {
            let (follower, client) = (follower, client)
            follower.animation = animation.permitted
            follower.source.filter = filter
            if follower.source.client !== client {
                follower.source.client = client
                // Before the activity is read, so that no change is missed.
                follower.follow { changed in
                    let scheduler = MainScheduler()
                    return client.onActivity { [weak follower] in
                        scheduler.schedule { [weak follower] in
                            if follower?.source.isNews == true { changed() }
                        }
                    }
                }
            }
            follower.source.shown = client.activity(of: filter)
        }
    }

    private struct ShownActivity: Sendable {
        var client: QueryClient?
        var filter = KeyFilter.all
        /// `nil` if the view may show another activity than was noted.
        var shown: ClientActivity?

        var isNews: Bool { client?.activity(of: filter) != shown }
    }
#endif
