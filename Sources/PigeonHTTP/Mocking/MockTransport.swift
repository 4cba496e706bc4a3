public import Foundation

/// A transport without a network. It gives scripted answers and records requests.
///
/// ```swift
/// let mock = MockTransport()
/// mock.answer(.get, "/users/:id") { request, values in try .json(User(id: values["id"])) }
/// mock.answer(.post, "/users", with: .status(.serviceUnavailable), then: .status(.created))
/// ```
///
/// Under a ``NetworkDispatcher``, everything works as over a network: retries, redirects, tokens. The transport can be
/// used from any thread.
public final class MockTransport: HTTPTransport {
    /// Creates the answer to a request. It can wait, and throw.
    public typealias Handler = @Sendable (_ request: MockRequest, _ values: PathValues) async throws -> MockAnswer

    struct State {
        var baseURL: URL?
        var scripts: [Script] = []
        var requests: [MockRequest] = []
        var active = 0
        var cancelled = 0
        var watchers: [UUID: AsyncStream<Void>.Continuation] = [:]
    }

    let clock: any QueryClock
    let state: Locked<State>

    /// Creates a transport without answers.
    ///
    /// - Parameters:
    ///   - baseURL: The address below whose path the patterns begin. By default they begin at the root.
    ///   - clock: Measures delays.
    public init(baseURL: URL? = nil, clock: any QueryClock = SystemClock()) {
        self.clock = clock
        state = Locked(State(baseURL: baseURL))
    }

    /// The address below whose path the patterns begin; `nil` for the root.
    public var baseURL: URL? {
        get { state.withLock { $0.baseURL } }
        set { state.withLock { $0.baseURL = newValue } }
    }

    /// Answers requests by a function. If several answers match a request, the newest applies.
    ///
    /// - Parameters:
    ///   - method: The method to answer, or `nil` for any.
    ///   - pattern: The paths to answer.
    ///   - handler: Creates the answer, on no particular thread. An error that it throws is the request's error.
    public func answer(_ method: HTTPMethod?, _ pattern: PathPattern, _ handler: @escaping Handler) {
        add(Script(method: method, pattern: pattern, handlers: [handler]))
    }

    /// Answers requests one after another, and repeats the last answer. If several answers match a request, the newest
    /// applies.
    ///
    /// - Parameters:
    ///   - method: The method to answer, or `nil` for any.
    ///   - pattern: The paths to answer.
    ///   - first: The first answer.
    ///   - others: The answers after it.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, with first: MockAnswer, then others: MockAnswer...
    ) {
        answer(method, pattern, with: [first] + others)
    }

    var isScripted: Bool { state.withLock { !$0.scripts.isEmpty } }

    func answer(_ method: HTTPMethod?, _ pattern: PathPattern, with answers: [MockAnswer]) {
        let handlers = answers.map { answer -> Handler in { _, _ in answer } }
        add(Script(method: method, pattern: pattern, handlers: handlers))
    }

    private func add(_ script: Script) {
        state.withLock { $0.scripts.insert(script, at: 0) }
    }
}

extension MockTransport {
    struct Script: Sendable {
        let method: HTTPMethod?
        let pattern: PathPattern
        /// The handlers of one request after another. The last one is repeated.
        var handlers: [Handler]

        func isFor(_ request: MockRequest) -> Bool { method.map { $0.rawValue == request.methodName } ?? true }

        mutating func next() -> Handler {
            handlers.count > 1 ? handlers.removeFirst() : handlers[0]
        }
    }
}

extension MockTransport {
    /// All requests in their order, answered or not.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    /// The number of requests in flight: neither answered in full nor ended otherwise.
    public var activeCount: Int { state.withLock { $0.active } }

    /// The number of requests that ended because the caller cancelled them or released their answer.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Waits until a number of requests has been received. Returns early if the task is cancelled.
    ///
    /// - Returns: All requests in their order.
    @discardableResult
    public func requests(count: Int) async -> [MockRequest] {
        await wait { $0.requests.count >= count }
        return requests
    }

    /// Waits until no request is in flight. Returns early if the task is cancelled.
    public func idle() async {
        await wait { $0.active == 0 }
    }

    /// Changes the record, and notifies the tasks that wait for a change.
    func change(_ body: (inout State) -> Void) {
        let watchers = state.withLock { state in
            body(&state)
            return Array(state.watchers.values)
        }
        for watcher in watchers { watcher.yield() }
    }

    private func wait(until isMet: @Sendable (State) -> Bool) async {
        let (changes, watcher) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        state.withLock { $0.watchers[id] = watcher }
        watcher.yield()
        for await _ in changes where state.withLock({ isMet($0) }) { break }
        state.withLock { $0.watchers[id] = nil }
    }
}
