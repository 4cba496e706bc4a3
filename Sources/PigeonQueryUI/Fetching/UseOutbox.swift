#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    public import PigeonOutbox
    public import SwiftUI

    /// Shows the mutations that wait to be sent, and those that were set aside: the server has refused them, or they could
    /// not be sent, and they are kept until the user decides.
    ///
    /// ```swift
    /// struct UnsentChanges: View {
    ///     @UseOutbox var outbox: OutboxSnapshot
    ///
    ///     var body: some View {
    ///         List(outbox.setAside) { item in
    ///             Text(item.name)
    ///                 .swipeActions { Button("Discard", role: .destructive) { $outbox.discard(item.id) } }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The view is built again when the outbox of the environment's client has changed (see `View.queryClient(_:)`), in the
    /// next turn of the main actor, and at most ten times a second.
    @MainActor
    @propertyWrapper
    public struct UseOutbox: nonisolated DynamicProperty {
        @Environment(\.workingClient) private var client
        @StateObject private var follower = ViewFollower(ShownOutbox())
        private let animation: ChangeAnimation

        /// Creates a property that shows the outbox.
        ///
        /// - Parameter animation: Animates each change of the view. `nil`, the default, animates none. If the user prefers
        ///   less motion, nothing is animated.
        public init(animation: Animation? = nil) {
            self.animation = ChangeAnimation(animation)
        }

        /// The current content.
        public var wrappedValue: OutboxSnapshot {
            if follower.source.client == nil { note() }
            let outbox = client.outbox
            guard client === follower.source.client else { return outbox.snapshot }
            if let newest = follower.source.newest, newest.version == outbox.version { return newest }
            let snapshot = outbox.snapshot
            follower.source.newest = snapshot
            return snapshot
        }

        /// Notes the content that the view is about to show. SwiftUI calls this before it builds the view.
        public nonisolated func update() {
            // Older SDKs do not promise the main actor. Off it, nothing is noted until the view reads the property.
            if MainActor.isCurrent { MainActor.assumeIsolated { note() } }
        }

        private func note() {
            let (follower, client, outbox) = (follower, client, client.outbox)
            follower.animation = animation.permitted
            if follower.source.client !== client {
                follower.source = ShownOutbox(client: client)
                follower.follow { changed in
                    let updates = Task { @MainActor [weak follower] in
                        for await update in outbox.updates where update.version != follower?.source.version {
                            changed()
                        }
                    }
                    return QuerySubscription { updates.cancel() }
                }
            }
            follower.source.version = outbox.version
        }

        /// The property itself, for its functions: `$outbox.retry(item.id)`.
        public var projectedValue: Self { self }

        /// Attempts a mutation that was set aside, or that waits for its next attempt, as soon as possible. Does nothing if
        /// it has ended.
        public func retry(_ id: OutboxItem.ID) {
            let outbox = client.outbox
            Task { try? await outbox.retry(id) }
        }

        /// Removes a mutation that has not succeeded. Does nothing if it has ended.
        public func discard(_ id: OutboxItem.ID) {
            let outbox = client.outbox
            Task { try? await outbox.discard(id) }
        }
    }

    private struct ShownOutbox: Sendable {
        var client: QueryClient?
        /// The newest content. Read again only if the outbox has changed since.
        var newest: OutboxSnapshot?
        /// The version that the view shows at least.
        var version: Int?
    }
#endif
