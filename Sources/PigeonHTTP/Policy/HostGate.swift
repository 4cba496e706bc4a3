internal import Foundation

/// Lets a number of requests to each host through at a time, first come, first served.
final class HostGate: Sendable {
    private struct Lane {
        var running = 0
        var waiting: [Turn<Void>] = []
    }

    private let limit: Int
    private let lanes = Locked<[String: Lane]>([:])

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// The right to have one request under way, until it is let go.
    final class Pass: Sendable {
        private let gate: HostGate
        private let host: String

        fileprivate init(gate: HostGate, host: String) {
            self.gate = gate
            self.host = host
        }

        deinit { gate.leave(host) }
    }

    /// Waits for a turn. Throws `CancellationError`.
    func enter(_ url: URL) async throws -> Pass {
        let host = url.origin
        let turn = Turn<Void>()
        let mustWait = lanes.withLock { lanes in
            guard lanes[host, default: Lane()].running >= limit else {
                lanes[host, default: Lane()].running += 1
                return false
            }
            lanes[host]?.waiting.append(turn)
            return true
        }
        guard mustWait else { return Pass(gate: self, host: host) }
        do {
            try await turn.value
        } catch {
            lanes.withLock { lanes in lanes[host]?.waiting.removeAll { $0 === turn } }
            throw error
        }
        return Pass(gate: self, host: host)
    }

    private func leave(_ host: String) {
        while let next = next(of: host) {
            // One that was cancelled meanwhile does not take its turn: the next one does.
            if next.end(with: .success(())) { return }
        }
    }

    /// Takes the next one that waits; without any, gives the place back.
    private func next(of host: String) -> Turn<Void>? {
        lanes.withLock { lanes in
            guard let lane = lanes[host] else { return nil }
            guard lane.waiting.isEmpty else { return lanes[host]?.waiting.removeFirst() }
            if lane.running > 1 { lanes[host]?.running -= 1 } else { lanes[host] = nil }
            return nil
        }
    }
}

extension URL {
    /// Scheme, host and port: what credentials belong to (RFC 6454, 4).
    var origin: String {
        let scheme = (scheme ?? "").lowercased()
        let port = port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\((host(percentEncoded: true) ?? "").lowercased()):\(port)"
    }
}

/// One wait for one result: ends once, with the first of its result and the waiter's cancellation.
package final class Turn<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    package init() {}

    /// Waits. To be called once.
    package var value: Value {
        get async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state in
                        if state.result == nil { state.continuation = continuation }
                        return state.result
                    }
                    if let result { continuation.resume(with: result) }
                }
            } onCancel: {
                end(with: .failure(CancellationError()))
            }
        }
    }

    /// Ends the wait. Returns whether it had not ended before.
    @discardableResult
    package func end(with result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            guard state.result == nil else { return (false, nil) }
            state.result = result
            defer { state.continuation = nil }
            return (true, state.continuation)
        }
        continuation?.resume(with: result)
        return isFirst
    }
}

extension QueryClock {
    /// Waits for a time. Throws `CancellationError` when the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        let turn = Turn<Void>()
        let alarm = schedule(at: now().advanced(by: duration)) { turn.end(with: .success(())) }
        defer { alarm.cancel() }
        try await turn.value
    }
}
