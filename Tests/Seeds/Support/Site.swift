import PigeonBase

/// A host with an answer for each of its paths, which keeps what it was asked.
public final class Site: Sendable {
    /// An answer.
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

    /// Answers like this from now on; everything else is not found. Forgets what was asked.
    package func begin(_ answers: [String: Answer]) {
        state.withLock { $0 = (answers, []) }
    }

    /// Has another answer for a path.
    package func answer(_ path: String, _ answer: Answer) {
        state.withLock { $0.answers[path] = answer }
    }

    /// What it was asked for, first to last.
    package var asked: [String] { state.withLock { $0.asked } }

    func answer(to method: String, _ path: String) -> Answer {
        state.withLock { state in
            state.asked.append("\(method) \(path)")
            return state.answers[path] ?? Answer("{}", status: 404)
        }
    }
}
