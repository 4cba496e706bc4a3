#if canImport(SwiftUI)
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    /// Fetches server data for a view that needs no model, and keeps it up to date for the life of the view.
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
    /// The definition may be another each time the view is built: a new key is followed in place of the old one, and the same
    /// key goes on as it is, with the newest fetcher and options; nothing is fetched because a view was built again. Reading
    /// the snapshot is what attaches the view. The client is that of the environment
    /// (see `View.queryClient(_:)`). When the view goes for good, what runs goes on or is cancelled as the
    /// definition's `whenAbandoned` says.
    @MainActor
    @propertyWrapper
    public struct UseQuery<Value: Sendable>: nonisolated DynamicProperty, ViewSource {
        @Environment(\.queryClient) private var environmentClient
        @StateObject private var model = QueryFollower<Value>()

        /// What is fetched, and how.
        public let definition: QueryDefinition<Value>

        /// Fetches what a definition says.
        public init(_ definition: QueryDefinition<Value>) {
            self.definition = definition
        }

        /// All that is known at this moment.
        public var wrappedValue: Snapshot<Value> {
            model.snapshot(of: definition, by: environmentClient)
        }

        /// The property itself, for what can be done with it: `$user.retry`, `$user.refresh()`, `$user.update { … }`.
        public var projectedValue: Self { self }

        /// The client that fetches.
        public var client: QueryClient { environmentClient }

        // MARK: Showing

        /// The snapshot, as a view shows it.
        public var viewState: ViewState<Value> { wrappedValue.viewState }

        /// Fetches again, whatever is cached.
        public var retry: RetryAction? {
            let (client, definition) = (client, definition)
            return { launchOnMain { try await client.refetch(definition) } }
        }

        // MARK: Doing

        /// Fetches again, whatever is cached, and waits until that has ended, well or not: what pulling to refresh does.
        public func refresh() async {
            _ = try? await client.refetch(definition)
        }

        /// Edits what is cached, for all who show it. Does nothing when nothing is.
        public func update(_ change: (inout Value) -> Void) {
            client.update(definition, change)
        }

        /// Marks what is cached as stale, and fetches it again.
        public func invalidate() {
            client.invalidate(.key(definition.key))
        }

        /// Cancels the running fetch. The state is what it was before.
        public func cancel() {
            client.cancel(.key(definition.key))
        }
    }
#endif
