public import CombineShim
public import Observation
internal import PigeonBase
public import PigeonCore
public import PigeonOutbox

/// A change of server data, and its state.
///
/// ```swift
/// let rename = Mutation { name in RenameUser(id: 42, name: name) }
/// rename.execute(with: "Ann")
/// ```
///
/// Here `RenameUser` conforms to ``/PigeonCore/Mutating``: it sends the request, shows the edit at once, and names what is
/// stale afterwards. A Save button whose changes must not be lost uses ``init(submitting:client:)``.
///
/// The state is that of the newest execution. Releasing the mutation does not cancel an execution; ``cancel()`` does.
@MainActor
public final class Mutation<Request: Sendable, Response: Sendable>: nonisolated ObservableObject {
    /// The type of the state.
    public typealias State = QueryState<Response>

    /// A fetcher that is a publisher. Its last value is the response.
    public typealias QueryFetcher = @Sendable (Request) -> AnyPublisher<Response, any Error>

    /// Invalidates queries in a success callback.
    public typealias Invalidate = (QueryKey, QueryInvalidator.Parameters) -> Void

    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    private let client: QueryClient
    private let name: String
    private let begin: (Request, ExecutionSteps<Response>, TaskHandle) -> Void
    private let shown: Shown
    /// The newest execution, until it ends or the state is reset.
    private var execution: TaskHandle?
    private var latest = 0

    /// The part of a mutation that a view can show.
    @MainActor
    private final class Shown {
        let notifier: ChangeNotifier
        var state = State.idle
        var stateCount = 0
        var isPaused = false

        init(_ objectWillChange: ObservableObjectPublisher) {
            notifier = ChangeNotifier(objectWillChange)
        }

        /// True if a state may look different from the current one. Does not compare values and errors.
        func isNews(_ state: State) -> Bool {
            switch (self.state, state) {
            case (.idle, .idle), (.loading, .loading): false
            default: true
            }
        }
    }

    /// The state of the newest execution. `idle` before the first, and after ``reset()`` and ``cancel()``. `$state` is
    /// the same publisher as ``statePublisher``.
    @PublishedProperty public var state: State

    /// True while the newest execution waits for the network or for another mutation of its scope.
    public var isPaused: Bool {
        shown.notifier.access()
        return shown.isPaused
    }

    /// Creates a mutation whose fetcher is a publisher.
    ///
    /// - Parameters:
    ///   - client: The client whose queries change.
    ///   - name: The name in events.
    ///   - retry: The policy by which a failed attempt is retried. Use it only for changes that do no harm if
    ///     carried out twice.
    ///   - scope: Mutations of one scope run one after the other.
    ///   - fetcher: Makes the change. Called on any thread.
    public convenience init(
        client: QueryClient = .shared, name: String? = nil, retry: RetryPolicy? = nil, scope: String? = nil,
        fetcher: @escaping QueryFetcher
    ) {
        let label = name ?? "\(Request.self) to \(Response.self)"
        self.init(client, label, retry, scope) { request, _ in
            try await fetcher(request).last().orThrow(MutationError.noValue(mutation: label))
        }
    }

    /// Creates a mutation whose fetcher is an `async` closure. The parameters are the same as those of the other
    /// initializer.
    public convenience init(
        client: QueryClient = .shared, name: String? = nil, retry: RetryPolicy? = nil, scope: String? = nil,
        fetcher: @escaping @Sendable (Request) async throws -> Response
    ) {
        self.init(client, name ?? "\(Request.self) to \(Response.self)", retry, scope) { request, _ in
            try await fetcher(request)
        }
    }

    /// Creates a mutation of changes that have a type of their own, which says how a change is carried out, what it
    /// shows at once and what is stale afterwards.
    ///
    /// ```swift
    /// let rename = Mutation { name in RenameUser(id: 42, name: name) }
    /// rename.execute(with: "Ann")
    /// ```
    ///
    /// - Parameters:
    ///   - client: The client whose queries change.
    ///   - change: Makes the change of a request. Called on the main actor.
    public convenience init<Change: Mutating>(
        client: QueryClient = .shared, _ change: @escaping (Request) -> Change
    ) where Change.Output == Response {
        let name = String(describing: Change.self)
        self.init(client, name, plan: { MutationPlan(change($0), name: name) })
    }

    /// Creates a mutation of changes that are sent even if the process ends first. Each execution is enqueued in the
    /// client's ``/PigeonOutbox/Outbox``.
    ///
    /// ```swift
    /// let rename = Mutation(durably: { title in RenameNote(id: 7, title: title) }, client: client)
    /// rename.execute(with: "Milk")
    /// ```
    ///
    /// The state is `loading` until this process has sent the change and the server has accepted it, or the change was
    /// set aside: the server refused it, and the outbox keeps it. ``cancel()`` discards a change that is still waiting.
    ///
    /// - Parameters:
    ///   - change: Makes the change of a request. Called on the main actor.
    ///   - client: The client whose queries change.
    public convenience init<Change: DurableMutation>(
        durably change: @escaping (Request) -> Change, client: QueryClient = .shared
    ) where Change.Output == Response {
        self.init(client, Change.name) { request, steps, execution in
            let change = change(request)
            execution.launch(client.environment.launchForCaller) { await client.complete(change, sending: steps) }
        }
    }

    /// Creates a mutation of changes that are sent at once if that is possible, and otherwise later, even if the
    /// process ends first. Suits a Save button.
    ///
    /// ```swift
    /// let rename = Mutation(submitting: { title in RenameNote(id: 7, title: title) }, client: client)
    /// rename.execute(with: "Milk") { note, _ in show(note.output?.title ?? "Will be sent.") }
    /// ```
    ///
    /// The state is `loading` until the server has accepted the change or it is known to be queued, and `failed` if the
    /// server refuses it, which leaves nothing behind. See ``/PigeonOutbox/PigeonCore/QueryClient/submit(_:)``. ``cancel()`` ends the
    /// wait: a change that is recorded stays in the outbox.
    ///
    /// - Parameters:
    ///   - change: Makes the change of a request. Called on the main actor.
    ///   - client: The client whose queries change.
    public convenience init<Change: DurableMutation>(
        submitting change: @escaping (Request) -> Change, client: QueryClient = .shared
    ) where Response == Submission<Change.Output> {
        self.init(client, Change.name) { request, steps, execution in
            let change = change(request)
            execution.launch(client.environment.launchForCaller) { await client.submit(change, sending: steps) }
        }
    }

    private convenience init(
        _ client: QueryClient, _ name: String, _ retry: RetryPolicy?, _ scope: String?,
        _ run: @escaping @Sendable (Request, MutationContext) async throws -> Response
    ) {
        self.init(
            client, name,
            plan: { request in
                MutationPlan(
                    name: name, scope: scope, retry: retry ?? .never, isIdempotent: retry != nil, networkMode: .online,
                    run: { try await run(request, $0) }, optimistic: { _ in })
            })
    }

    private convenience init(
        _ client: QueryClient, _ name: String, plan: @escaping (Request) -> MutationPlan<Response>
    ) {
        self.init(client, name) { request, steps, execution in
            let mutation = client.begin(plan(request))
            execution.launch(client.environment.launchForCaller) { await client.complete(mutation, sending: steps) }
        }
    }

    private init(
        _ client: QueryClient, _ name: String,
        begin: @escaping (Request, ExecutionSteps<Response>, TaskHandle) -> Void
    ) {
        self.client = client
        self.name = name
        self.begin = begin
        let shown = Shown(objectWillChange)
        self.shown = shown
        let publisher = shown.notifier.publisher(mark: { [weak shown] in shown?.stateCount }) { [weak shown] in
            shown?.state
        }
        _state = PublishedProperty {
            shown.notifier.access()
            return shown.state
        } publish: {
            publisher
        }
    }

    /// Publishes the current state, then every change, on the main actor. Completes when the mutation is released.
    public var statePublisher: AnyPublisher<State, Never> { $state }

    /// Starts the change, and does not wait for it. The optimistic change is shown when this returns.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - onSuccess: Called on the main actor with the response, and with a closure that marks queries stale.
    ///   - onFailure: Called on the main actor with the error. Not called on cancellation.
    public func execute(
        with request: Request, onSuccess: @escaping (Response, Invalidate) -> Void = { _, _ in },
        onFailure: @escaping (any Error) -> Void = { _ in }
    ) {
        start(request) { [client, name] result in
            switch result {
            case .success(let response):
                let invalidator = QueryInvalidator(client: client, cause: .mutation(name))
                onSuccess(response) { key, parameters in invalidator.invalidateQuery(for: key, with: parameters) }
            case .failure(let error):
                if !TransientError.isCancellation(error) { onFailure(error) }
            }
        }
    }

    /// Makes the change, and waits for the response. Cancelling the caller's task cancels the change.
    ///
    /// - Throws: The error of the fetcher, or `CancellationError`.
    @discardableResult
    public func callAsFunction(_ request: Request) async throws -> Response {
        try Task.checkCancellation()  // a task that is already cancelled changes nothing
        let outcome = SharedOneShot<Response>()
        let execution = start(request) { outcome.resolve($0) }
        return try await outcome.value(onCancel: .calls { execution.cancel() })
    }

    /// Cancels the newest execution, and rolls back its optimistic change.
    public func cancel() {
        execution?.cancel()
        reset()
    }

    /// Resets the state to `idle`. A running execution continues, but no longer changes the state.
    public func reset() {
        latest += 1
        execution = nil
        show(.idle, latest)
    }

    /// - Parameter onEnd: Called on the main actor with the result, after the state has changed.
    /// - Returns: The execution, which may have ended already.
    @discardableResult
    private func start(
        _ request: Request, onEnd: @escaping (Result<Response, any Error>) -> Void
    ) -> TaskHandle {
        let execution = TaskHandle()
        latest += 1
        let number = latest
        self.execution = execution
        // An observer that is notified of this may cancel the execution.
        show(.loading, number)
        let steps = delivery(of: number, onEnd)
        if execution.isCancelled {
            steps.send(.ended(.failure(CancellationError())))
        } else {
            begin(request, steps, execution)
        }
        return execution
    }

    private func delivery(
        of number: Int, _ onEnd: @escaping (Result<Response, any Error>) -> Void
    ) -> ExecutionSteps<Response> {
        let steps = ExecutionSteps<Response>(.everyValue, on: .mainActor) { [weak self] step in
            self?.apply(step, number)
            if case .ended(let result) = step { onEnd(result) }
            return Subscribers.Demand.none
        } complete: { _ in
        }
        steps.request(.unlimited)
        return steps
    }

    private func apply(_ step: ExecutionStep<Response>, _ number: Int) {
        switch step {
        case .paused: note(paused: true, number)
        case .running: note(paused: false, number)
        case .ended(.success(let response)): finish(number, .succeed(response))
        case .ended(.failure(let error)):
            finish(number, TransientError.isCancellation(error) ? .idle : .failed(error))
        }
    }

    private func note(paused: Bool, _ number: Int) {
        guard number == latest, shown.isPaused != paused else { return }
        shown.notifier.change {
            guard number == latest else { return }
            shown.isPaused = paused
        }
    }

    private func finish(_ number: Int, _ state: State) {
        guard number == latest else { return }
        execution = nil
        show(state, number)
    }

    /// - Parameter number: The number of the execution. An observer that is notified of the change may start another
    ///   one first.
    private func show(_ state: State, _ number: Int) {
        guard shown.isPaused || shown.isNews(state) else { return }
        shown.notifier.change {
            guard number == latest else { return }
            shown.isPaused = false
            guard shown.isNews(state) else { return }
            shown.state = state
            shown.stateCount += 1
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Mutation: nonisolated Observable {}
