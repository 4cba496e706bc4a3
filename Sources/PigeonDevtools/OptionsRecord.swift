internal import PigeonBase
internal import PigeonCore

/// The options of an entry as data: messages contain them, and a replay makes options of them.
struct OptionsRecord: Codable, Hashable, Sendable {
    var staleAfterMs: Double?
    var isFixed = false
    var expiryJitter = 0.0
    var refreshEarlyMs = 0.0
    var rememberFailuresMs = 0.0
    var debounceMs = 0.0
    var fetchIntervalMs: Double?
    var keepForMs: Double?
    var retries = 0
    var pollEveryMs: Double?
    var pollsInBackground = false
    var networkMode = ""
    var fetchesOnAttach = true
    var refetchOnAttach = ""
    var retriesOnAttach = true
    var refetchOnForeground = ""
    var refetchOnReconnect = ""
    var whenAbandoned = ""
    var timeLimitMs: Double?
    var isEnabled = true

    init(_ options: QueryOptions) {
        switch options.staleAfter.kind {
        case .after(let nanoseconds): staleAfterMs = Self.finite(.nanoseconds(nanoseconds))
        case .never: break
        case .immutable: isFixed = true
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
    var options: QueryOptions {
        var options = QueryOptions()
        options.staleAfter =
            isFixed ? .immutable : staleAfterMs.map { .after(Duration(recordedMilliseconds: $0)) } ?? .never
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
    init(recordedMilliseconds milliseconds: Double) {
        self = Duration(untrustedSeconds: milliseconds / 1000) ?? .zero
    }

    fileprivate var inMilliseconds: Double { Double(clampedNanoseconds) / 1e6 }
}
