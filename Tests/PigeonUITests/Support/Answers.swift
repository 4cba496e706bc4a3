import Foundation
import PigeonCore
import PigeonHTTP

/// A server whose answers wait until a test gives them.
final class Answers: Sendable {
    private struct State {
        var asked: [String] = []
        var cancelled: [String] = []
        var given: [String: MockAnswer] = [:]
    }

    private let state = Locked(State())
    let transport = MockTransport()

    init() {
        transport.answer(.get, "/:name") { [weak self] _, values in
            guard let self else { throw CancellationError() }
            return try await answer(to: values["name"] ?? "")
        }
    }

    private func answer(to name: String) async throws -> MockAnswer {
        state.withLock { $0.asked.append(name) }
        defer {
            if Task.isCancelled { state.withLock { $0.cancelled.append(name) } }
        }
        while true {
            if let answer = state.withLock({ $0.given[name] }) { return answer }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// What was asked for, first to last.
    var asked: [String] { state.withLock { $0.asked } }

    /// The names of the cancelled requests, first to last.
    var cancelled: [String] { state.withLock { $0.cancelled } }

    /// Answers what was asked, and what will be.
    ///
    /// - Parameter maxAge: The time for which the server says that the answer is fresh, in seconds.
    func give(_ text: String, status: StatusCode = .ok, maxAge: Int? = nil, for name: String) {
        var headers: HTTPHeaders = ["Content-Type": "image/png"]
        if let maxAge { headers["Cache-Control"] = "max-age=\(maxAge)" }
        let answer = MockAnswer.data(Data(text.utf8), status: status, headers: headers)
        state.withLock { $0.given[name] = answer }
    }
}
