internal import PigeonBase

/// The options of an entry as data: what a recording keeps of them, and a replay makes them of.
package struct OptionsRecord: Codable, Hashable, Sendable {
    package var staleAfterMs: Double?
    package var isFixed = false
    package var expiryJitter = 0.0
    package var refreshEarlyMs = 0.0
    package var rememberFailuresMs = 0.0
    package var debounceMs = 0.0
    package var fetchIntervalMs: Double?
    package var keepForMs: Double?
    package var retries = 0
    package var pollEveryMs: Double?
    package var pollsInBackground = false
    package var networkMode = ""
    package var fetchesOnAttach = true
    package var refetchOnAttach = ""
    package var retriesOnAttach = true
    package var refetchOnForeground = ""
    package var refetchOnReconnect = ""
    package var whenAbandoned = ""
    package var timeLimitMs: Double?
    package var isEnabled = true

    package init(_ options: QueryOptions) {
        switch options.staleAfter.kind {
        case .after(let nanoseconds): staleAfterMs = Self.finite(.nanoseconds(nanoseconds))
        case .never: break
        case .fixed: isFixed = true
        }
        expiryJitter = options.expiryJitter
        refreshEarlyMs = options.refreshEarly.inMilliseconds
        rememberFailuresMs = options.rememberFailures.inMilliseconds
        debounceMs = options.debounce.inMilliseconds
        fetchIntervalMs = options.fetchInterval > .zero ? options.fetchInterval.inMilliseconds : nil
        keepForMs = Self.finite(options.keepFor)
        retries = options.retry.limit
        pollEveryMs = options.pollEvery?.inMilliseconds
        pollsInBackground = options.pollsInBackground
        networkMode = "\(options.networkMode)"
        fetchesOnAttach = options.fetchesOnAttach
        refetchOnAttach = "\(options.refetchOnAttach)"
        retriesOnAttach = options.retriesOnAttach
        refetchOnForeground = "\(options.refetchOnForeground)"
        refetchOnReconnect = "\(options.reconnectTrigger)"
        whenAbandoned = "\(options.whenAbandoned)"
        timeLimitMs = options.timeLimit?.inMilliseconds
        isEnabled = options.isEnabled
    }

    /// The options. Without the retry policy, whose delays and conditions are code.
    package var options: QueryOptions {
        var options = QueryOptions()
        options.staleAfter =
            isFixed ? .fixed : staleAfterMs.map { .after(Duration(recordedMilliseconds: $0)) } ?? .never
        options.expiryJitter = min(max(0, expiryJitter), 1)
        options.refreshEarly = Duration(recordedMilliseconds: refreshEarlyMs)
        options.rememberFailures = Duration(recordedMilliseconds: rememberFailuresMs)
        options.debounce = Duration(recordedMilliseconds: debounceMs)
        options.fetchInterval = fetchIntervalMs.map { Duration(recordedMilliseconds: $0) } ?? .zero
        options.keepFor = keepForMs.map { Duration(recordedMilliseconds: $0) } ?? .forever
        options.pollEvery = pollEveryMs.map { Duration(recordedMilliseconds: $0) }
        options.pollsInBackground = pollsInBackground
        options.networkMode = [.online, .offlineFirst, .always].first { "\($0)" == networkMode } ?? .online
        options.fetchesOnAttach = fetchesOnAttach
        options.refetchOnAttach = Self.trigger(refetchOnAttach)
        options.retriesOnAttach = retriesOnAttach
        options.refetchOnForeground = Self.trigger(refetchOnForeground)
        options.refetchOnReconnect = Self.trigger(refetchOnReconnect)
        options.whenAbandoned = [.finish, .cancel].first { "\($0)" == whenAbandoned } ?? .finish
        options.timeLimit = timeLimitMs.map { Duration(recordedMilliseconds: $0) }
        options.isEnabled = isEnabled
        return options
    }

    private static func trigger(_ name: String) -> RefetchTrigger {
        [.never, .ifStale, .always].first { "\($0)" == name } ?? .ifStale
    }

    /// The duration in milliseconds. `nil` for one without end.
    private static func finite(_ duration: Duration) -> Double? {
        duration.clampedNanoseconds == .max ? nil : duration.inMilliseconds
    }
}

extension Duration {
    /// A time of a recording, which may have been damaged. Negative ones and those that are no number count as zero.
    package init(recordedMilliseconds milliseconds: Double) {
        self = Duration(untrustedSeconds: milliseconds / 1000) ?? .zero
    }

    fileprivate var inMilliseconds: Double { Double(clampedNanoseconds) / 1e6 }
}
