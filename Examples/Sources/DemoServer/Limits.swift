import NIOCore

/// The sizes and times beyond which the server refuses or closes.
enum Limits {
    static let bodyBytes = 1 << 20
    static let longestLatency = Duration.seconds(30)
    static let keptRecords = 10_000
    /// Longer than the longest latency, so that a waiting answer is not taken for an idle connection.
    static let idleTime = TimeAmount.seconds(60)
}
