#if canImport(SwiftUI)
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    /// Fetches server data for a view as ``UseQuery`` does, and shows a part of it. The view is built again only when that
    /// part or the phase changes.
    ///
    /// ```swift
    /// struct UserName: View {
    ///     @UseSelection<User, String> var name: Snapshot<String>
    ///
    ///     init(id: User.ID) { _name = UseSelection(.user(id)) { $0.name } }
    ///
    ///     var body: some View { Text(name.value ?? "") }
    /// }
    /// ```
    @MainActor
    @propertyWrapper
    public struct UseSelection<Value: Sendable, Output: Equatable & Sendable>: nonisolated DynamicProperty, ViewSource {
        @Environment(\.workingClient) private var client
        private var followed = FollowedQuery<Value, QuerySelection<Value, Output>>()

        /// The definition of the query.
        public let definition: QueryDefinition<Value>
        private let animation: ChangeAnimation
        private let location: CodeLocation
        private let transform: @Sendable (Value) throws -> Output

        /// Creates a property that fetches a query and shows a part of its value.
        ///
        /// - Parameters:
        ///   - definition: The query.
        ///   - animation: Animates each change of the view that a new part causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        ///   - fileID: The file of the property. Developer tools show it.
        ///   - line: The line of the property.
        ///   - transform: Makes the part. Called once for each value, outside locks. The first one that the view passes is
        ///     used for the lifetime of the view. If it throws, the phase is a failure.
        public init(
            _ definition: QueryDefinition<Value>, animation: Animation? = nil, fileID: StaticString = #fileID,
            line: UInt = #line, select transform: @escaping @Sendable (Value) throws -> Output
        ) {
            self.definition = definition
            location = CodeLocation(fileID, line)
            self.animation = ChangeAnimation(animation)
            self.transform = transform
        }

        /// The current snapshot of the part.
        public var wrappedValue: Snapshot<Output> {
            followed.snapshot(of: definition, by: client, at: location, animation: animation.permitted) {
                $0.select(transform)
            }
        }

        /// The property itself, for its functions: `$name.retry`, `$name.refresh()`.
        ///
        /// A view to which it is passed on follows the query by itself, with the client of its own environment.
        public var projectedValue: Self {
            var projection = self
            projection.followed = followed.passedOn
            return projection
        }

        /// The state of the snapshot.
        public var viewState: ViewState<Output> { wrappedValue.viewState }

        /// Refetches, whatever is cached.
        public var retry: RetryAction? {
            let (client, definition) = (client, definition)
            return { launchOnMain { try await client.refetch(definition) } }
        }

        /// Refetches, whatever is cached, and waits until the fetch has succeeded or failed.
        public func refresh() async {
            _ = try? await client.refetch(definition)
        }
    }

    extension UseSelection: PollingSource {
        func appeared() { followed.appeared() }

        func disappeared() { followed.disappeared() }
    }
#endif
