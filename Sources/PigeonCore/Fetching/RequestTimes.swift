/// When keys were last asked for, if their requests must have an interval. Entries come and go in the meantime.
struct RequestTimes {
    private var last: [QueryKey: (time: MonotonicInstant, end: MonotonicInstant)] = [:]
    /// The number of times beyond which those that no longer matter are dropped.
    private var limit = 64

    /// Notes a request, unless the last one was too short a time ago.
    ///
    /// - Returns: The rest of that time. Zero if the request was noted.
    mutating func note(_ key: QueryKey, at now: MonotonicInstant, every interval: Duration) -> Duration {
        let rest = last[key].map { interval - $0.time.duration(to: now) } ?? .zero
        guard rest <= .zero else { return rest }
        renew(key, at: now, every: interval)
        return .zero
    }

    /// Notes that a request has begun only now.
    mutating func renew(_ key: QueryKey, at now: MonotonicInstant, every interval: Duration) {
        last[key] = (now, now.advanced(by: interval))
        guard last.count > limit else { return }
        last = last.filter { $0.value.end > now }
        limit = max(64, last.count * 2)
    }
}
