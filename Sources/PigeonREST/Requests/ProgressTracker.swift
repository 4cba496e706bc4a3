internal import Foundation
internal import PigeonBase

/// Estimates how far a request has come from the bytes that are sent and received, and from how long it waits.
///
/// Four parts count: connecting (0.3), sending (1; nothing for GET), waiting for the answer (0.3), receiving (1 for GET,
/// else 0.1). A wait comes ever closer to its end, and so does a transfer of unknown size.
///
/// Each update takes two steps. First it corrects the estimate by what has become known: that a wait is over, or how many
/// bytes there are. That moves nothing. Then it adds what has been done since, which takes its share of what was left.
/// So progress never jumps when the answer begins or its size becomes known, and never goes back.
struct ProgressTracker: Sendable {
    private let isGet: Bool
    private let startedAt: MonotonicInstant
    private var sentAt: MonotonicInstant?
    private var known = Known()
    private var done = Done()
    /// Part of the request that is still to come, 1 to 0.
    private var left = 1.0

    /// Facts that make the estimate more precise.
    private struct Known {
        var isConnected = false
        var isAnswered = false
        var bytesToSend: Int64?
        var bytesToReceive: Int64?
    }

    /// Work that brings the request closer to its end.
    private struct Done {
        var connecting = Duration.zero
        var bytesSent: Int64 = 0
        var waiting = Duration.zero
        var bytesReceived: Int64 = 0
    }

    init(isGet: Bool, startedAt: MonotonicInstant) {
        self.isGet = isGet
        self.startedAt = startedAt
    }

    /// - Returns: 0 to just below 1: the end of the request is 1.
    mutating func update(_ metrics: RequestTransferMetrics, at now: MonotonicInstant) -> Double {
        learn(from: metrics)
        let before = 1 - estimate
        work(metrics, now)
        let after = 1 - estimate
        if before > 0 { left *= min(after / before, 1) }
        return min(1 - left, 0.999)
    }

    private mutating func learn(from metrics: RequestTransferMetrics) {
        known.bytesToSend = metrics.requestBytesTotal.flatMap { $0 < 0 ? nil : $0 }
        known.bytesToReceive = metrics.responseBytesTotal.flatMap { $0 > 0 ? $0 : nil }
        if metrics.responseBytesReceived > 0 || known.bytesToReceive != nil { known.isAnswered = true }
        if metrics.requestBytesSent > 0 || known.isAnswered { known.isConnected = true }
    }

    private mutating func work(_ metrics: RequestTransferMetrics, _ now: MonotonicInstant) {
        done.bytesSent = metrics.requestBytesSent
        done.bytesReceived = metrics.responseBytesReceived
        if !known.isConnected { done.connecting = startedAt.duration(to: now) }
        let isSent = known.bytesToSend.map { metrics.requestBytesSent >= $0 } ?? isGet
        if sentAt == nil, isSent { sentAt = now }
        if let sentAt, !known.isAnswered { done.waiting = sentAt.duration(to: now) }
    }

    /// Part of the request that is done by what is known now. It may go back when more becomes known.
    private var estimate: Double {
        let connecting = known.isConnected ? 1 : Self.waited(done.connecting, mostlyOverAfter: 2.5)
        let sending = Self.share(of: done.bytesSent, in: known.bytesToSend)
        let waiting = known.isAnswered ? 1 : Self.waited(done.waiting, mostlyOverAfter: 1.2)
        let receiving = Self.share(of: done.bytesReceived, in: known.bytesToReceive)
        let (sendingWeight, receivingWeight) = isGet ? (0.0, 1.0) : (1.0, 0.1)
        let sum = 0.3 * connecting + sendingWeight * sending + 0.3 * waiting + receivingWeight * receiving
        return sum / (0.6 + sendingWeight + receivingWeight)
    }

    /// Three quarters when the usual time has passed, and never all of it.
    private static func waited(_ time: Duration, mostlyOverAfter seconds: Double) -> Double {
        1 - pow(0.25, time.inSeconds / seconds)
    }

    /// The transferred part of a size. Of an unknown size, half after 16 kB, and never all of it.
    private static func share(of count: Int64, in total: Int64?) -> Double {
        guard count > 0 else { return 0 }
        guard let total, total > 0 else { return 1 - pow(0.5, Double(count) / 16_384) }
        return min(Double(count) / Double(total), 1)
    }
}
