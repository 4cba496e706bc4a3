import PigeonBase

/// A host that gives each of its paths an answer, and records its requests.
public final class Site: Sendable {
    /// The answer to a request.
    public struct Answer: Sendable {
        package let status: Int
        package let body: String

        /// Creates an answer.
        package init(_ body: String, status: Int = 200) {
            self.body = body
            self.status = status
        }
    }

    package let host: String
    private let state = Locked<(answers: [String: Answer], asked: [String])>(([:], []))

    package init(host: String) {
        self.host = host
    }

    /// Replaces all answers, and clears the requests. Other paths are not found.
    package func begin(_ answers: [String: Answer]) {
        state.withLock { $0 = (answers, []) }
    }

    /// Replaces the answer of a path.
    package func answer(_ path: String, _ answer: Answer) {
        state.withLock { $0.answers[path] = answer }
    }

    /// The requests so far, in order.
    package var asked: [String] { state.withLock { $0.asked } }

    func answer(to method: String, _ path: String) -> Answer {
        state.withLock { state in
            state.asked.append("\(method) \(path)")
            return state.answers[path] ?? Answer("{}", status: 404)
        }
    }
}
