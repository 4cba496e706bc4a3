internal import PigeonBase

/// Reads the progress of a request's transfer at any time.
///
/// A ``TransferReport`` is called in the task that waits for the response, so each piece that arrives wakes up the task.
/// A gauge wakes up nothing. A request can have both: the library's transports then use the gauge alone, and transports
/// that do not know it use the report.
package final class TransferGauge: Sendable {
    private struct State {
        weak var exchange: Exchange?
        var noted = TransferProgress()
    }

    private let state = Locked(State())

    package init() {}

    package var progress: TransferProgress {
        let (exchange, noted) = state.withLock { ($0.exchange, $0.noted) }
        return exchange?.progress ?? noted
    }

    package func note(_ progress: TransferProgress) {
        state.withLock { $0.noted = progress }
    }

    /// Reads the progress of an exchange from now on, for as long as it exists.
    func attach(_ exchange: Exchange) {
        state.withLock { $0.exchange = exchange }
    }
}
