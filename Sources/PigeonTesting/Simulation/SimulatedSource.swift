import Foundation
import PigeonCore

/// A store with one value that hangs and throws when the simulation decides, and that is changed from outside.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedSource: AnySource, @unchecked Sendable {  // used only by the thread that runs the simulation
    let queue = JobQueue()
    private var content: SimulatedValue?
    private var isMarkedStale = false
    private var isHeld = false
    private var failures = 0
    private var gates: [CheckedContinuation<Void, Never>] = []
    private var handlers: [Int: @Sendable () -> Void] = [:]
    private var count = 0

    func hold() { isHeld = true }
    func failNext() { failures += 1 }

    /// Resumes all waiting calls, and lets later calls pass.
    func release() {
        isHeld = false
        for gate in gates { gate.resume() }
        gates = []
    }

    /// Removes all failures before the end of a run.
    func heal() {
        failures = 0
        release()
    }

    func changeOutside(_ content: SimulatedValue?) {
        self.content = content
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
    }

    /// Waits while the store is held, and throws if the call is to fail.
    private func enter() async throws {
        if isHeld { await withCheckedContinuation { gates.append($0) } }
        guard failures > 0 else { return }
        failures -= 1
        throw SimulatedError(statusCode: nil)
    }

    func put(_ content: SimulatedValue?) async throws {
        try await enter()
        self.content = content
    }

    func read() async throws -> SourceContent? {
        try await enter()
        return content.map { SourceContent(PayloadOf($0)) }
    }

    func isStale(_ payload: Payload) async throws -> Bool {
        try await enter()
        return isMarkedStale
    }

    func save(_ payload: Payload, at date: Date) async throws {
        guard let value = (payload as? PayloadOf<SimulatedValue>)?.value else { return }
        try await put(value)
        isMarkedStale = false
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool { false }

    func clear() async throws { try await put(nil) }

    func markStale() async throws {
        try await enter()
        isMarkedStale = true
    }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        count += 1
        let id = count
        handlers[id] = handler
        return QuerySubscription { [weak self] in _ = self?.handlers.removeValue(forKey: id) }
    }
}
