internal import Foundation
internal import Synchronization

/// A server that recognizes idempotency keys. Until it is sound, it also loses answers, repeats them, refuses, and is slow.
final class OutboxServer: Sendable {
    /// A change that was made.
    struct Effect: Sendable {
        let ids: [Int]
        let version: Int
        let place: Int
    }

    private struct State {
        var random: SeededRandom
        var isSound = false
        /// The path of the first request with each key.
        var paths: [String: String] = [:]
        var made: Set<String> = []
        var effects: [String: [Effect]] = [:]
        var violations: [String] = []
        var requests: [String] = []
    }

    private enum Fault: Sendable {
        case none
        /// The answer is lost before or after the change was made, or the change is made once the answer is lost.
        case lostBefore, lostAfter, madeLater
        case refusedBefore(String), refusedAfter
        case slow(Int), repeated
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(random: SeededRandom(seed, 19)))
    }

    func setSound(_ isSound: Bool) { state.withLock { $0.isSound = isSound } }

    /// The changes of one scene, in the order in which they were made.
    func effects(of scene: String) -> [Effect] { state.withLock { $0.effects[scene] ?? [] } }

    /// Returns the rules that programs have broken since the last call, and the requests.
    func takeLog() -> (violations: [String], requests: [String]) {
        state.withLock { state in
            defer { (state.violations, state.requests) = ([], []) }
            return (state.violations, state.requests)
        }
    }

    /// Answers one request.
    @Sendable func answer(_ request: RawRequest, _ wire: RawWire) async throws {
        let parts = request.path.split(separator: "/").map(String.init)
        let key = Self.key(in: request.head)
        guard let key, parts.count == 5, let place = Int(parts[1]), let version = Int(parts[3]) else {
            state.withLock { $0.violations.append("the server was sent \(request.head.prefix(120))") }
            return try await wire.send(Self.response("400 Bad Request"))
        }
        let effect = Effect(ids: parts[2].split(separator: ",").compactMap { Int($0) }, version: version, place: place)
        let fault = accept(request.path, key)
        switch fault {
        case .lostBefore: return wire.close()
        case .refusedBefore(let status): return try await wire.send(Self.response(status))
        case .slow(let delay): try await Task.sleep(for: .milliseconds(delay))
        case .madeLater:
            wire.close()
            // Not part of the connection's task, which ends with the connection.
            Task {
                try await Task.sleep(for: .milliseconds(30))
                _ = make(effect, kind: parts[4], key, scene: parts[0])
            }
            return
        case .none, .lostAfter, .refusedAfter, .repeated: break
        }
        let status = make(effect, kind: parts[4], key, scene: parts[0])
        switch fault {
        case .lostAfter: wire.close()
        case .refusedAfter: try await wire.send(Self.response("503 Service Unavailable"))
        case .repeated:
            // Two answers to one request. The connection ends, so that the second is not one to the next request.
            let answer = Self.response(status, "Connection: close\r\n")
            try await wire.send(answer + answer)
            wire.close()
        default: try await wire.send(Self.response(status))
        }
    }

    /// Notes a request, and decides what goes wrong.
    private func accept(_ path: String, _ key: String) -> Fault {
        state.withLock { state in
            state.requests.append("\(DispatchTime.now().uptimeNanoseconds) \(path) \(key.suffix(6))")
            if let known = state.paths[key], known != path {
                state.violations.append("the key \(key) came with \(known), and then with \(path)")
            }
            state.paths[key] = path
            guard !state.isSound else { return .none }
            switch state.random.number(0..<100) {
            case 0..<8: return .lostBefore
            case 8..<18: return .lostAfter
            case 18..<24: return .madeLater
            case 24..<32: return .refusedBefore("503 Service Unavailable")
            case 32..<34: return .refusedBefore("503 Service Unavailable\r\nRetry-After: 1")
            case 34..<38: return .refusedBefore("429 Too Many Requests\r\nRetry-After: 0")
            case 38..<40: return .refusedBefore("401 Unauthorized")
            case 40..<46: return .refusedAfter
            case 46..<54: return .slow(state.random.number(1..<60))
            case 54..<60: return .repeated
            default: return .none
            }
        }
    }

    /// Makes a change, unless it was made under its key, and returns the status of the answer.
    private func make(_ effect: Effect, kind: String, _ key: String, scene: String) -> String {
        switch kind {
        case RigChange.Kind.bad.rawValue: return "422 Unprocessable Content"
        case RigChange.Kind.stale.rawValue: return "409 Conflict"
        default: break
        }
        state.withLock { state in
            guard state.made.insert(key).inserted else { return }
            state.effects[scene, default: []].append(effect)
        }
        return "200 OK"
    }

    private static func response(_ status: String, _ more: String = "") -> String {
        "HTTP/1.1 \(status)\r\n\(more)Content-Length: 0\r\n\r\n"
    }

    private static func key(in head: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("idempotency-key:") }?
            .split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
