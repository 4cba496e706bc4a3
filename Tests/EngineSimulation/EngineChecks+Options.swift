import PigeonBase
import PigeonCore
import PigeonTesting

/// Tells from the options of a definition when its entry must be fetched.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks {
    /// Returns true if an invalidation refetches an entry.
    func refetches(_ scope: SimulatedScope, _ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        let wasFetched = entry.valueCount > 0 || entry.failureCount > 0 || entry.answerCount > 0
        let isFixed = subject.options.staleAfter == .immutable
        let mayRefetch = entry.isObserved ? entry.isActive && !isFixed : wasFetched
        return switch scope {
        case .none: false
        case .active: entry.isObserved && mayRefetch
        case .inactive: !entry.isObserved && mayRefetch
        case .all: mayRefetch
        }
    }

    /// Returns true if a new, enabled observer fetches an entry.
    func fetchesForNewObserver(_ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        let options = subject.options
        guard options.isEnabled, options.fetchesOnAttach, !remembersFailure(subject, entry) else { return false }
        guard entry.shown == nil else { return fetches(options.refetchOnAttach, subject, entry) }
        return entry.failure == nil || options.retriesOnAttach
    }

    /// Returns true if an event fetches an observed entry.
    ///
    /// - Parameter trigger: The subject's option for that event.
    func fetches(_ trigger: RefetchTrigger, _ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        if entry.shown != nil, subject.options.staleAfter == .immutable { return false }
        return switch trigger {
        case .never: false
        case .ifStale: isDue(subject, entry)
        case .always: true
        }
    }

    /// Returns true if a value is stale, or will be so soon that it is fetched early.
    private func isDue(_ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        guard entry.shown != nil, !entry.isInvalidated else { return true }
        guard let process = world.process, let end = end(of: entry, subject) else { return false }
        let early = min(max(subject.options.refreshEarly, .zero), entry.writtenAt.duration(to: end) / 2)
        return process.clock.now().advanced(by: early) >= end
    }

    /// Returns the time at which a value turns stale: by the lifetime that it has of its own, or by the subject's
    /// options. `nil` if it never does.
    private func end(of entry: Entry, _ subject: SimulatedSubject) -> MonotonicInstant? {
        if let own = entry.freshFor { return entry.writtenAt.advanced(by: .nanoseconds(own)) }
        guard case .after(let nanoseconds) = subject.options.staleAfter.kind else { return nil }
        return entry.writtenAt.advanced(by: .nanoseconds(nanoseconds))
    }

    /// Returns true if the error of the last fetch answers a new observer.
    private func remembersFailure(_ subject: SimulatedSubject, _ entry: Entry) -> Bool {
        let time = subject.options.rememberFailures
        guard time > .zero, entry.failure != nil, !entry.wasInvalidatedByName, let failedAt = entry.failedAt,
            let process = world.process
        else { return false }
        return process.clock.now() < failedAt.advanced(by: time)
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedSubject {
    /// True if a request may be sent later than its fetch begins, because of the requests before it.
    var mayWait: Bool { options.upstream != nil || options.fetchInterval > .zero }

    /// The longest time from the beginning of a fetch to its request. `nil` if nothing limits it, or if the fetch may
    /// reach its time limit before.
    var longestWait: Duration? {
        guard options.upstream == nil else { return nil }
        let interval = max(options.fetchInterval, .zero)
        if let limit = options.timeLimit, limit > .zero, limit <= interval { return nil }
        return interval
    }
}
