import PigeonHTTP

/// What happened, in order, noted from any thread.
final class Journal: Sendable {
    private let lines = Locked<[String]>([])

    var notes: [String] { lines.withLock { $0 } }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
