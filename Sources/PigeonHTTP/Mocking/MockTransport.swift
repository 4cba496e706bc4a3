public import Foundation

/// A transport without a network: it gives the answers it was told, and remembers what it was asked.
///
/// ```swift
/// let mock = MockTransport()
/// mock.answer(.get, "/users/:id") { request, values in try .json(User(id: values["id"])) }
/// mock.answer(.post, "/users", with: .status(.serviceUnavailable), then: .status(.created))
/// ```
///
/// Under a ``NetworkDispatcher`` all of that dispatcher works as it does over a network: retries, redirects, tokens. It may
/// be used from any thread.
public final class MockTransport: HTTPTransport {
    /// Makes the answer to a request. It may wait, and fail.
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

    /// Creates a transport that has no answers yet.
    ///
    /// - Parameters:
    ///   - baseURL: The address below whose path the patterns begin. By default they begin at the root.
    ///   - clock: What delays are measured on.
    public init(baseURL: URL? = nil, clock: any QueryClock = SystemClock()) {
        self.clock = clock
        state = Locked(State(baseURL: baseURL))
    }

    /// The address below whose path the patterns begin; `nil` for the root.
    public var baseURL: URL? {
        get { state.withLock { $0.baseURL } }
        set { state.withLock { $0.baseURL = newValue } }
    }

    /// Answers requests by a function. Of several answers for one request, the newest is given.
    ///
    /// - Parameters:
    ///   - method: What is asked to be done; `nil` for any.
    ///   - pattern: Where.
    ///   - handler: Makes the answer, on no particular thread. What it throws is the request's error.
    public func answer(_ method: HTTPMethod?, _ pattern: PathPattern, _ handler: @escaping Handler) {
        add(Script(method: method, pattern: pattern, source: .handler(handler)))
    }

    /// Answers requests one after another, the last answer again and again. Of several answers for one request, the newest
    /// is given.
    ///
    /// - Parameters:
    ///   - method: What is asked to be done; `nil` for any.
    ///   - pattern: Where.
    ///   - first: The first answer.
    ///   - others: The answers after it.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, with first: MockAnswer, then others: MockAnswer...
    ) {
        answer(method, pattern, with: [first] + others)
    }

    /// Whether any answer is scripted.
    public var isScripted: Bool { state.withLock { !$0.scripts.isEmpty } }

    func answer(_ method: HTTPMethod?, _ pattern: PathPattern, with answers: [MockAnswer]) {
        add(Script(method: method, pattern: pattern, source: .sequence(answers)))
    }

    private func add(_ script: Script) {
        state.withLock { $0.scripts.insert(script, at: 0) }
    }
}

extension MockTransport {
    /// What is answered to which requests.
    struct Script: Sendable {
        enum Source: Sendable {
            case handler(Handler)
            case sequence([MockAnswer])
        }

        let method: HTTPMethod?
        let pattern: PathPattern
        var source: Source

        /// Takes what answers a request now.
        mutating func next() -> Handler {
            switch source {
            case .handler(let handler): return handler
            case .sequence(let answers):
                if answers.count > 1 { source = .sequence(Array(answers.dropFirst())) }
                return { _, _ in answers[0] }
            }
        }
    }
}

extension MockTransport {
    /// What was asked, first to last, answered or not.
    public var requests: [MockRequest] { state.withLock { $0.requests } }

    /// How many requests have neither been answered in full nor ended otherwise.
    public var activeCount: Int { state.withLock { $0.active } }

    /// How many requests ended because the asker cancelled them or let go of their answer.
    public var cancelledCount: Int { state.withLock { $0.cancelled } }

    /// Waits until so many requests have been asked. Returns early when the task is cancelled.
    ///
    /// - Returns: What was asked, first to last.
    @discardableResult
    public func requests(count: Int) async -> [MockRequest] {
        await wait { $0.requests.count >= count }
        return requests
    }

    /// Waits until no request is active. Returns early when the task is cancelled.
    public func idle() async {
        await wait { $0.active == 0 }
    }

    /// Changes the record and tells who waits for it.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, watchers) = state.withLock { state in (body(&state), Array(state.watchers.values)) }
        for watcher in watchers { watcher.yield() }
        return result
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
