import Foundation
import PigeonHTTP

/// A server that answers as a test says, and waits until it does.
final class GitHub: Sendable {
    private struct State {
        var answers: [String: MockAnswer] = [:]
        var asked: [String] = []
        var tokens: [String?] = []
    }

    private let state = Locked(State())
    let transport = MockTransport()

    init() {
        transport.answer(.get, "**") { [weak self] request, _ in
            guard let self else { throw CancellationError() }
            state.withLock { state in
                state.asked.append(request.path)
                state.tokens.append(request.headers["Authorization"])
            }
            return try await answer(to: request.path)
        }
    }

    private func answer(to path: String) async throws -> MockAnswer {
        while true {
            if let answer = state.withLock({ $0.answers[path] }) { return answer }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// The paths that were asked for, first to last.
    var asked: [String] { state.withLock { $0.asked } }
    /// The tokens that were sent, first to last.
    var tokens: [String?] { state.withLock { $0.tokens } }

    func answer(_ path: String, _ json: String, status: StatusCode = .ok) {
        let answer = MockAnswer.data(Data(json.utf8), status: status, headers: ["Content-Type": "application/json"])
        state.withLock { $0.answers[path] = answer }
    }

    /// Has the next request wait for another answer.
    func forget(_ path: String) {
        state.withLock { $0.answers[path] = nil }
    }
}
