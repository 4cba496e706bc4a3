internal import Foundation
internal import PigeonBase

/// Guesses how far a request has come, of what is sent, what is received, and how long it takes to be answered.
///
/// Four parts count: to connect (0.3), to send (1; nothing for GET), to wait for the answer (0.3), to receive (1 for GET, else
/// 0.1). Waits come ever closer to their end; so do sizes that are not known. It never goes back.
struct ProgressTracker: Sendable {
    private let isGet: Bool
    private let startedAt: MonotonicInstant
    private var sentAt: MonotonicInstant?
    private var answeredAt: MonotonicInstant?
    private var progress = 0.0

    init(isGet: Bool, startedAt: MonotonicInstant) {
        self.isGet = isGet
        self.startedAt = startedAt
    }

    /// - Returns: 0 to just below 1: the end of the request is 1.
    mutating func update(_ metrics: RequestTransferMetrics, at now: MonotonicInstant) -> Double {
        let isSent = metrics.requestBytesTotal.map { metrics.requestBytesSent >= $0 } ?? isGet
        let isAnswered = metrics.responseBytesReceived > 0 || metrics.responseBytesTotal != nil
        let isConnected = metrics.requestBytesSent > 0 || isAnswered
        if sentAt == nil, isSent { sentAt = now }
        if answeredAt == nil, isAnswered { answeredAt = now }

        let connecting = isConnected ? 1 : Self.waited(startedAt.duration(to: now), mostlyOverAfter: 2.5)
        let sending = Self.share(of: metrics.requestBytesSent, in: metrics.requestBytesTotal)
        let waiting = isAnswered ? 1 : sentAt.map { Self.waited($0.duration(to: now), mostlyOverAfter: 1.2) } ?? 0
        let receiving = Self.share(of: metrics.responseBytesReceived, in: metrics.responseBytesTotal)

        let (sendingWeight, receivingWeight) = isGet ? (0.0, 1.0) : (1.0, 0.1)
        let sum = 0.3 * connecting + sendingWeight * sending + 0.3 * waiting + receivingWeight * receiving
        progress = max(progress, min(sum / (0.6 + sendingWeight + receivingWeight), 0.999))
        return progress
    }

    /// Three quarters when the usual time has passed, and never all of it.
    private static func waited(_ time: Duration, mostlyOverAfter seconds: Double) -> Double {
        1 - pow(0.25, time.inSeconds / seconds)
    }

    /// What is there of a size; of one that is not known, half after 16 kB, and never all of it.
    private static func share(of count: Int64, in total: Int64?) -> Double {
        guard count > 0 else { return 0 }
        guard let total, total > 0 else { return 1 - pow(0.5, Double(count) / 16_384) }
        return min(Double(count) / Double(total), 1)
    }
}
