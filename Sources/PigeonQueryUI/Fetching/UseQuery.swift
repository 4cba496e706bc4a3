#if canImport(SwiftUI)
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    /// Fetches server data for a view without a model, and keeps it up to date for the lifetime of the view.
    ///
    /// ```swift
    /// struct UserView: View {
    ///     @UseQuery var user: Snapshot<User>
    ///
    ///     init(id: User.ID) { _user = UseQuery(.user(id)) }
    ///
    ///     var body: some View {
    ///         StateView(user, retry: $user.retry) { Text($0.name) }
    ///     }
    /// }
    /// ```
    ///
    /// The definition may differ each time the view is built. If the key changes, the view observes the new query. If
    /// it stays, the view takes the newest fetcher and options. Building the view again never starts a fetch by itself.
    /// The view attaches when it reads the snapshot. It uses the client of the environment (see
    /// `View.queryClient(_:)`). When the view is removed, the definition's `whenAbandoned` decides whether a running
    /// fetch continues or is cancelled.
    @MainActor
    @propertyWrapper
    public struct UseQuery<Value: Sendable>: nonisolated DynamicProperty, ViewSource {
        @Environment(\.workingClient) private var environmentClient
        private var followed = FollowedQuery<Value, QueryObserver<Value>>()

        /// The definition of the query.
        public let definition: QueryDefinition<Value>
        private let animation: ChangeAnimation
        private let location: CodeLocation

        /// Creates a property that fetches a query.
        ///
        /// ```swift
        /// @UseQuery(.user(42), animation: .default) var user: Snapshot<User>
        /// ```
        ///
        /// A query that depends on other data is fetched once it is known:
        ///
        /// ```swift
        /// struct DepotName: View {
        ///     @UseQuery var depot: Snapshot<Depot>
        ///
        ///     init(of parcel: Parcel?) { _depot = UseQuery(parcel.map { .depot($0.depotID) }) }
        ///
        ///     var body: some View { Text(depot.value?.name ?? "") }
        /// }
        /// ```
        ///
        /// The view that fetches the parcel contains `DepotName(of: parcel.value)`. A new parcel with the same depot
        /// fetches nothing.
        ///
        /// - Parameters:
        ///   - definition: The query. `nil` for none yet: the snapshot has no value, and nothing is fetched.
        ///   - animation: Animates each change of the view that a new snapshot causes. `nil`, the default, animates none.
        ///     If the user prefers less motion, nothing is animated.
        ///   - fileID: The file of the property. Developer tools show it.
        ///   - line: The line of the property.
        public init(
            _ definition: QueryDefinition<Value>?, animation: Animation? = nil, fileID: StaticString = #fileID,
            line: UInt = #line
        ) {
            self.definition = definition ?? .nothing
            location = CodeLocation(fileID, line)
            self.animation = ChangeAnimation(animation)
        }

        /// The current snapshot.
        public var wrappedValue: Snapshot<Value> {
            followed.snapshot(
                of: definition, by: environmentClient, at: location, animation: animation.permitted
            ) { $0 }
        }

        /// The property itself, for its functions: `$user.retry`, `$user.refresh()`, `$user.update { … }`.
        ///
        /// A view to which it is passed on follows the query by itself, with the client of its own environment.
        public var projectedValue: Self {
            var projection = self
            projection.followed = followed.passedOn
            return projection
        }

        /// The client that fetches.
        public var client: QueryClient { environmentClient }

        // MARK: Showing

        /// The state of the snapshot.
        public var viewState: ViewState<Value> { wrappedValue.viewState }

        /// Refetches, whatever is cached.
        public var retry: RetryAction? {
            let (client, definition) = (client, definition)
            return { launchOnMain { try await client.refetch(definition) } }
        }

        // MARK: Actions

        /// Refetches, whatever is cached, and waits until the fetch has succeeded or failed. Use it for pull to
        /// refresh.
        public func refresh() async {
            _ = try? await client.refetch(definition)
        }

        /// Edits the cached value, for all observers. Does nothing if there is none.
        public func update(_ change: (inout Value) -> Void) {
            client.update(definition, change)
        }

        /// Marks the cached value stale, and refetches it.
        public func invalidate() {
            client.invalidate(definition)
        }

        /// Cancels the running fetch. The state returns to the one before the fetch.
        public func cancel() {
            client.cancel(definition)
        }
    }

    extension UseQuery: PollingSource {
        func appeared() { followed.appeared() }

        func disappeared() { followed.disappeared() }
    }
#endif
