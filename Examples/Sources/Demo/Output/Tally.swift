/// What a scene, or the whole demo, came to.
struct Tally: Codable, Sendable, Equatable {
    /// How often a screen or a caller was given data.
    var reads = 0
    /// How many requests were made for it.
    var requests = 0
    /// How many answers said that nothing had changed.
    var notModified = 0
    /// How many requests failed, with nobody left without data.
    var failures = 0

    /// How many reads cost no request of their own.
    var saved: Int { reads - requests }

    /// The fraction of the reads that cost no request of their own.
    var savedFraction: Double { reads > 0 ? Double(saved) / Double(reads) : 0 }

    static func + (one: Tally, other: Tally) -> Tally {
        Tally(
            reads: one.reads + other.reads, requests: one.requests + other.requests,
            notModified: one.notModified + other.notModified, failures: one.failures + other.failures)
    }

    static func - (one: Tally, other: Tally) -> Tally {
        Tally(
            reads: one.reads - other.reads, requests: one.requests - other.requests,
            notModified: one.notModified - other.notModified, failures: one.failures - other.failures)
    }
}
