#if canImport(SwiftUI)
    internal import CombineShim
    public import Pigeon
    public import PigeonCore
    public import SwiftUI

    /// Changes server data for a view, and shows the state of the change.
    ///
    /// ```swift
    /// struct RenameButton: View {
    ///     @UseMutation(RenameUser.self) var rename: QueryState<User>
    ///     let name: String
    ///
    ///     var body: some View {
    ///         Button("Rename") { $rename.execute(with: RenameUser(id: 42, name: name)) }
    ///             .disabled(rename.isLoading)
    ///         if let error = rename.error { Text(error.userMessage) }
    ///     }
    /// }
    /// ```
    ///
    /// It is a ``/Pigeon/Mutation`` of the view, with the client of the environment (see `View.queryClient(_:)`). The state
    /// is that of the newest execution, and lasts as long as the view exists. A second execution does not wait for the
    /// first one, unless the changes have a scope. When the view is removed, an execution continues. To cancel it, call
    /// `cancel()` in `onDisappear`, or call the mutation as a function in a `task` of the view. A view to which `$rename` is
    /// passed on executes and shows the same mutation.
    @MainActor
    @propertyWrapper
    public struct UseMutation<Request: Sendable, Response: Sendable>: nonisolated DynamicProperty {
        @Environment(\.workingClient) private var client
        /// Follows the mutation of the newest execution. Each execution has its own, with the client and the closure of its
        /// time.
        @StateObject private var follower = ViewFollower<Mutation<Request, Response>?>(nil)
        private let make: @MainActor (QueryClient) -> Mutation<Request, Response>
        private let animation: ChangeAnimation

        /// Creates a property that makes changes of one type. Each execution is passed its change.
        ///
        /// - Parameters:
        ///   - type: The type of the changes.
        ///   - animation: Animates each change of the view that a new state causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        public init(_ type: Request.Type, animation: Animation? = nil)
        where Request: Mutating, Request.Output == Response {
            self.init(animation: animation) { $0 }
        }

        /// Creates a property that makes changes of one type, from requests.
        ///
        /// ```swift
        /// struct RenameField: View {
        ///     @UseMutation<String, User> var rename: QueryState<User>
        ///     @State private var name = ""
        ///
        ///     init(id: User.ID) { _rename = UseMutation { name in RenameUser(id: id, name: name) } }
        ///
        ///     var body: some View {
        ///         TextField("Name", text: $name).onSubmit { $rename.execute(with: name) }
        ///     }
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - animation: Animates each change of the view that a new state causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        ///   - change: Makes the change of a request. Each execution uses the closure that the view passed last.
        public init<Change: Mutating>(animation: Animation? = nil, _ change: @escaping (Request) -> Change)
        where Change.Output == Response {
            self.animation = ChangeAnimation(animation)
            make = { Mutation(client: $0, change) }
        }

        /// Creates a property that makes changes even if the process ends first. Each execution is enqueued in the
        /// client's ``/PigeonOutbox/Outbox``.
        ///
        /// ```swift
        /// @UseMutation(durably: RenameNote.self) var rename: QueryState<Note>
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type of the changes.
        ///   - animation: Animates each change of the view that a new state causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        public init(durably type: Request.Type, animation: Animation? = nil)
        where Request: DurableMutation, Request.Output == Response {
            self.animation = ChangeAnimation(animation)
            make = { Mutation(durably: { $0 }, client: $0) }
        }

        /// Creates a property that sends changes at once if that is possible, and otherwise later, even if the process
        /// ends first. Suits a Save button.
        ///
        /// ```swift
        /// @UseMutation(submitting: RenameNote.self) var rename: QueryState<Submission<Note>>
        /// ```
        ///
        /// The state succeeds once the server has accepted the change or it is queued, and fails if the server refuses
        /// it. See ``/PigeonOutbox/PigeonCore/QueryClient/submit(_:)``.
        ///
        /// - Parameters:
        ///   - type: The type of the changes.
        ///   - animation: Animates each change of the view that a new state causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        public init(submitting type: Request.Type, animation: Animation? = nil)
        where Request: DurableMutation, Submission<Request.Output> == Response {
            self.animation = ChangeAnimation(animation)
            make = { Mutation(submitting: { $0 }, client: $0) }
        }

        /// Creates a property that makes a change without a type of its own.
        ///
        /// - Parameters:
        ///   - name: The name in events.
        ///   - retry: The policy by which a failed attempt is retried. Use it only for changes that do no harm if
        ///     carried out twice.
        ///   - scope: Mutations of one scope run one after the other.
        ///   - animation: Animates each change of the view that a new state causes. `nil`, the default, animates none. If
        ///     the user prefers less motion, nothing is animated.
        ///   - fetcher: Makes the change. Called on any thread. Each execution uses the closure that the view passed last.
        public init(
            name: String? = nil, retry: RetryPolicy? = nil, scope: String? = nil,
            animation: Animation? = nil,
            fetcher: @escaping @Sendable (Request) async throws -> Response
        ) {
            self.animation = ChangeAnimation(animation)
            make = { client in
                Mutation(client: client, name: name, retry: retry, scope: scope, fetcher: fetcher)
            }
        }

        /// The state of the newest execution: idle before the first one, and after ``reset()`` and ``cancel()``.
        public var wrappedValue: QueryState<Response> { follower.source?.state ?? .idle }

        /// The property itself, for its functions: `$rename.execute(with: name)`, `$rename.reset()`.
        public var projectedValue: Self { self }

        /// True while the newest execution waits for the network or for another mutation of its scope.
        public var isPaused: Bool { follower.source?.isPaused ?? false }

        /// Starts the change, and does not wait for it. The optimistic change is shown when this returns. The state shows a
        /// failure.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - onSuccess: Called on the main actor with the response, and with a closure that marks queries stale. Called
        ///     even if the view has been removed.
        ///   - onFailure: Called on the main actor with the error. Not called on cancellation.
        public func execute(
            with request: Request,
            onSuccess: @escaping (Response, Mutation<Request, Response>.Invalidate) -> Void = { _, _ in },
            onFailure: @escaping (any Error) -> Void = { _ in }
        ) {
            begin().execute(with: request, onSuccess: onSuccess, onFailure: onFailure)
        }

        /// Makes the change, and waits for the response. Cancelling the caller's task cancels the change.
        ///
        /// - Parameter request: The request.
        /// - Returns: The response.
        /// - Throws: The error of the change, which the state also shows, or `CancellationError`.
        @discardableResult
        public func callAsFunction(_ request: Request) async throws -> Response {
            try await begin()(request)
        }

        /// Cancels the newest execution, and rolls back its optimistic change.
        public func cancel() {
            follower.source?.cancel()
        }

        /// Resets the state to `idle`. A running execution continues, but no longer changes the state.
        public func reset() {
            follower.source?.reset()
        }

        private func begin() -> Mutation<Request, Response> {
            let mutation = make(client)
            follower.animation = animation.permitted
            follower.source = mutation
            follower.follow { changed in mutation.objectWillChange.sink { changed() } }
            return mutation
        }
    }
#endif
