internal import Foundation
internal import PigeonBase

/// Estimates the progress of a request from the bytes sent and received, and from the time spent waiting.
///
/// The estimate has four weighted parts: connecting (0.3), sending (1, or 0 for GET), waiting for the response (0.3),
/// and receiving (1 for GET, otherwise 0.1). The progress of a wait, and of a transfer of unknown size, approaches its
/// end without reaching it.
///
/// Each update has two steps. The first corrects the estimate with new facts, such as the end of a wait or the size of
/// a body, and leaves the progress unchanged. The second adds the work done since the last update, which reduces the
/// remaining part in proportion. The progress therefore never decreases, and never jumps when the response begins or
/// its size becomes known.
struct ProgressTracker: Sendable {
    private let isGet: Bool
    private let startedAt: MonotonicInstant
    private var sentAt: MonotonicInstant?
    private var known = Known()
    private var done = Done()
    /// The remaining part of the request, from 1 down to 0.
    private var left = 1.0

    /// Facts that make the estimate more precise.
    private struct Known {
        var isConnected = false
        var isAnswered = false
        var bytesToSend: Int64?
        var bytesToReceive: Int64?
    }

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

    /// - Returns: The progress, from 0 to 0.999. Only a request that has completed has the progress 1.
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

    /// The completed part of the request, according to the facts that are known now. It may decrease as more facts
    /// become known.
    private var estimate: Double {
        let connecting = known.isConnected ? 1 : Self.waited(done.connecting, mostlyOverAfter: 2.5)
        let sending = Self.share(of: done.bytesSent, in: known.bytesToSend)
        let waiting = known.isAnswered ? 1 : Self.waited(done.waiting, mostlyOverAfter: 1.2)
        let receiving = Self.share(of: done.bytesReceived, in: known.bytesToReceive)
        let (sendingWeight, receivingWeight) = isGet ? (0.0, 1.0) : (1.0, 0.1)
        let sum = 0.3 * connecting + sendingWeight * sending + 0.3 * waiting + receivingWeight * receiving
        return sum / (0.6 + sendingWeight + receivingWeight)
    }

    /// The completed part of a wait: 0.75 after the usual time, and always less than 1.
    private static func waited(_ time: Duration, mostlyOverAfter seconds: Double) -> Double {
        1 - pow(0.25, time.inSeconds / seconds)
    }

    /// The transferred part of a body. If the size is unknown, 0.5 after 16 KiB, and always less than 1.
    private static func share(of count: Int64, in total: Int64?) -> Double {
        guard count > 0 else { return 0 }
        guard let total, total > 0 else { return 1 - pow(0.5, Double(count) / 16_384) }
        return min(Double(count) / Double(total), 1)
    }
}
