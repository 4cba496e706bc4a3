import Foundation
import PigeonCore

/// A source of truth that contains a text. It fails and waits when the test says so, and records all calls.
final class ScriptedSource: AnySource {
    private struct State {
        var content: String?
        var isStale = false
        var calls: [String] = []
        var running = 0
        var mostAtOnce = 0
        var held: Set<String> = []
        var gates: [CheckedContinuation<Void, Never>] = []
        var errors: [String: [any Error]] = [:]
        var actions: [String: @Sendable () -> Void] = [:]
        var forgetsWhatIsSaved = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var watchCount = 0
    }

    let queue: JobQueue
    private let state: Locked<State>
    private let settle: @Sendable () -> Void

    init(_ content: String? = nil, queue: JobQueue = JobQueue(), settle: @escaping @Sendable () -> Void = {}) {
        self.queue = queue
        self.settle = settle
        state = Locked(State(content: content))
    }

    // MARK: Content

    var content: String? { state.withLock { $0.content } }
    var isStale: Bool { state.withLock { $0.isStale } }

    /// Replaces the content, as a change by the program does. Notifies no observer.
    func put(_ content: String?) { state.withLock { $0.content = content } }
    func markStaleNow() { state.withLock { $0.isStale = true } }
    func forgetWhatIsSaved() { state.withLock { $0.forgetsWhatIsSaved = true } }

    /// Replaces the content as an outside change does, and notifies the observers.
    func changeOutside(_ content: String?) {
        put(content)
        for handler in state.withLock({ $0.handlers.sorted { $0.key < $1.key }.map(\.value) }) { handler() }
        settle()
    }

    // MARK: Calls

    /// All calls so far, in order.
    var calls: [String] { state.withLock { $0.calls } }
    /// The largest number of calls that ran at the same time.
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var pendingCount: Int { state.withLock { $0.gates.count } }
    var watcherCount: Int { state.withLock { $0.handlers.count } }
    /// Number of subscriptions so far.
    var watchCount: Int { state.withLock { $0.watchCount } }

    /// Clears the calls, and returns them.
    @discardableResult
    func takeCalls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    // MARK: Scripting

    /// Makes the later calls of a function wait until ``release()``.
    func hold(_ function: String) { state.withLock { _ = $0.held.insert(function) } }

    /// Resumes all waiting calls, and lets later calls pass.
    func release() {
        let gates = state.withLock { state in
            defer {
                state.gates = []
                state.held = []
            }
            return state.gates
        }
        for gate in gates { gate.resume() }
        settle()
    }

    /// Makes the next call of a function throw.
    func fail(_ function: String, with error: any Error = Trouble.first) {
        state.withLock { $0.errors[function, default: []].append(error) }
    }

    /// Makes every call of a function run an action first.
    func on(_ function: String, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[function] = action }
    }

    private func perform<Result: Sendable>(
        _ function: String, _ detail: String?, _ body: (inout State) -> Result
    ) async throws -> Result {
        let (isHeld, action) = state.withLock { state in
            state.calls.append([function, detail].compactMap(\.self).joined(separator: " "))
            state.running += 1
            state.mostAtOnce = max(state.mostAtOnce, state.running)
            return (state.held.contains(function), state.actions[function])
        }
        defer { state.withLock { $0.running -= 1 } }
        action?()
        if isHeld {
            await withCheckedContinuation { gate in state.withLock { $0.gates.append(gate) } }
        }
        let error = state.withLock { state in
            state.errors[function]?.isEmpty == false ? state.errors[function]?.removeFirst() : nil
        }
        if let error { throw error }
        return state.withLock { body(&$0) }
    }

    // MARK: AnySource

    func read() async throws -> SourceContent? {
        guard let content = try await perform("read", nil, { $0.content }) else { return nil }
        return SourceContent(PayloadOf(content))
    }

    func isStale(_ payload: Payload) async throws -> Bool {
        let error = state.withLock { state in
            state.errors["isStale"]?.isEmpty == false ? state.errors["isStale"]?.removeFirst() : nil
        }
        if let error { throw error }
        return isStale
    }

    func save(_ payload: Payload, at date: Date) async throws {
        let text = (payload as? PayloadOf<String>)?.value
        try await perform("save", text) { state in
            state.content = state.forgetsWhatIsSaved ? nil : text
            state.isStale = false
        }
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool {
        guard let page = page as? TextPage else { return false }
        return try await perform("add", page.text) { state in
            guard let content = state.content, page.follows(content) else { return false }
            state.content = page.added(to: content)
            return true
        }
    }

    func clear() async throws {
        try await perform("clear", nil) { $0.content = nil }
    }

    func markStale() async throws {
        try await perform("mark stale", nil) { $0.isStale = true }
    }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        state.withLock { $0.actions["onChange"] }?()
        let id = state.withLock { state in
            state.watchCount += 1
            state.handlers[state.watchCount] = handler
            return state.watchCount
        }
        return QuerySubscription { [weak self] in
            _ = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
        }
    }
}

/// A page of words, which is added after the last word of a text or before its first word.
final class TextPage: LoadedPage {
    let text: String
    let direction: PageDirection
    let neighbour: String

    init(_ text: String, _ direction: PageDirection, of whole: String) {
        self.text = text
        self.direction = direction
        neighbour = Self.edge(of: whole, direction)
    }

    private static func edge(of whole: String, _ direction: PageDirection) -> String {
        let words = whole.split(separator: " ")
        return String((direction == .next ? words.last : words.first) ?? "")
    }

    func follows(_ whole: String) -> Bool { Self.edge(of: whole, direction) == neighbour }

    func added(to whole: String) -> String { direction == .next ? "\(whole) \(text)" : "\(text) \(whole)" }

    /// Returns `nil`, because the source itself adds the page.
    func added(to pages: Payload) -> Payload? { nil }
}
