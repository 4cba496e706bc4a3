/// The times of the last requests of keys that need an interval between requests. Kept here, because entries come and
/// go in the meantime.
struct RequestTimes {
    private var last: [QueryKey: (time: MonotonicInstant, end: MonotonicInstant)] = [:]
    /// Number of times above which those that no longer matter are removed.
    private var limit = 64

    /// Records a request, unless the interval since the last one is not over yet.
    ///
    /// - Returns: The rest of the interval. Zero if the request was recorded.
    mutating func note(_ key: QueryKey, at now: MonotonicInstant, every interval: Duration) -> Duration {
        let rest = last[key].map { interval - $0.time.duration(to: now) } ?? .zero
        guard rest <= .zero else { return rest }
        renew(key, at: now, every: interval)
        return .zero
    }

    /// Records that a request has begun only now.
    mutating func renew(_ key: QueryKey, at now: MonotonicInstant, every interval: Duration) {
        last[key] = (now, now.advanced(by: interval))
        guard last.count > limit else { return }
        last = last.filter { $0.value.end > now }
        limit = max(64, last.count * 2)
    }
}
