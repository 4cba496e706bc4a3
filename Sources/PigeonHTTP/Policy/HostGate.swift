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
