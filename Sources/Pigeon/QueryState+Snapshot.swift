public import PigeonCore

extension QueryState where Response: Sendable {
    /// Creates the state that shows a snapshot under a usage policy.
    ///
    /// This is the complete effect of the policy on the state. A value is valid for the time of the invalidation
    /// policy.
    public init(_ snapshot: Snapshot<Response>, config: QueryCacheConfig) {
        self = QueryStatePhase(snapshot, config: config).state(showing: snapshot.value)
    }
}

/// A query's state without its value.
enum QueryStatePhase {
    case idle
    case loading
    case succeed
    case failed(any Error)

    /// - Parameter hadValue: True if a value of the same key was shown until now.
    init<Value>(_ snapshot: Snapshot<Value>, config: QueryCacheConfig, hadValue: Bool = false) {
        let hasValue = snapshot.value != nil
        self =
            snapshot.activity == .idle
            ? Self.atRest(snapshot, hasValue: hasValue, hadValue: hadValue, config)
            : Self.underWay(snapshot, hasValue: hasValue, config)
    }

    func state<Value>(showing value: @autoclosure () -> Value?) -> QueryState<Value> {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .succeed: value().map { .succeed($0) } ?? .loading
        case .failed(let error): .failed(error)
        }
    }

    private static func underWay<Value>(
        _ snapshot: Snapshot<Value>, hasValue: Bool, _ config: QueryCacheConfig
    ) -> QueryStatePhase {
        guard hasValue else { return .loading }
        if snapshot.isPlaceholder || snapshot.hasYielded || snapshot.cause?.isTriggered == true { return .succeed }
        return switch config.usagePolicy {
        case .useIfFetchFails, .useInsteadOfFetching: .loading
        case .useAndThenFetch: config.invalidationPolicy.isValid(age: snapshot.age) ? .succeed : .loading
        }
    }

    private static func atRest<Value>(
        _ snapshot: Snapshot<Value>, hasValue: Bool, hadValue: Bool, _ config: QueryCacheConfig
    ) -> QueryStatePhase {
        let isValid = hasValue && config.invalidationPolicy.isValid(age: snapshot.age)
        if let error = snapshot.error {
            let showsValue =
                switch config.usagePolicy {
                case .useInsteadOfFetching: false
                case .useIfFetchFails: isValid
                // A value that was shown during the fetch stays, even if it has expired in the meantime.
                case .useAndThenFetch: isValid || (hasValue && hadValue)
                }
            return showsValue ? .succeed : .failed(error)
        }
        guard hasValue else { return .idle }
        // Before the first request, a value that was only found in a cache is shown by the policies that would use it.
        guard snapshot.isFetched || snapshot.isOptimistic else {
            return isValid && config.usagePolicy != .useIfFetchFails ? .succeed : .idle
        }
        return .succeed
    }
}

extension Snapshot {
    /// True if a view shows the same for both. The version and the age do not count, because they increase while
    /// nothing else changes.
    ///
    /// Values and errors are not compared. Their counts are.
    func looks(like other: Snapshot) -> Bool {
        key == other.key && valueVersion == other.valueVersion && valueCount == other.valueCount
            && isPlaceholder == other.isPlaceholder && isOptimistic == other.isOptimistic
            && isStale == other.isStale && isInvalidated == other.isInvalidated && updatedAt == other.updatedAt
            && failureCount == other.failureCount && failedAt == other.failedAt
            && activity == other.activity && cause == other.cause && hasYielded == other.hasYielded
            && failedAttempts == other.failedAttempts
            && nextPage.looks(like: other.nextPage) && previousPage.looks(like: other.previousPage)
    }
}

extension PageActivity {
    /// Errors are not compared, because a different error requires another load.
    fileprivate func looks(like other: PageActivity) -> Bool {
        isFetching == other.isFetching && (error == nil) == (other.error == nil)
    }
}

extension QueryCacheConfig.InvalidationPolicy {
    func isValid(age: Duration?) -> Bool { isValid(age: (age ?? .zero).inSeconds) }

    /// The time for which a value is fresh under the policy.
    var staleTime: StaleTime {
        switch self {
        case .notExpires: .never
        case .expiresAfter(let seconds): .after(Duration(untrustedSeconds: seconds) ?? .zero)
        }
    }
}
