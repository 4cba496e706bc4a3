public import PigeonCore

/// The state of a ``Mutation``, as one of four cases.
///
/// ```swift
/// switch rename.state {
/// case .idle: show("Save")
/// case .loading: Spinner()
/// case .succeed(let user): show(user)
/// case .failed(let error): Retry(error)
/// }
/// ```
///
/// A ``Query`` has such a state too, as in Pigeon 0.1. Its `snapshot` has more: the last value during a load, the error
/// beside a cached value, times and causes.
public enum QueryState<Response> {
    /// Nothing is requested: there was no request yet, it was cancelled, the mutation was reset, or the query's definition
    /// is `.nothing`.
    case idle
    /// A request runs, and there is no value to show meanwhile.
    case loading
    /// There is a value.
    case succeed(Response)
    /// The request failed, and there is no value to show instead.
    case failed(any Error)

    /// The value of ``succeed(_:)``. `nil` in other states.
    public var value: Response? {
        if case .succeed(let value) = self { value } else { nil }
    }

    /// The error of ``failed(_:)``. `nil` in other states.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// True if the state is `loading`.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Returns the same state with a transformed value.
    public func map<Other>(_ transform: (Response) throws -> Other) rethrows -> QueryState<Other> {
        switch self {
        case .idle: .idle
        case .loading: .loading
        case .succeed(let value): .succeed(try transform(value))
        case .failed(let error): .failed(error)
        }
    }
}

extension QueryState: Sendable where Response: Sendable {}

extension QueryState: CustomStringConvertible {
    /// The name of the case, such as `idle` or `succeed(…)`, with the description of the value.
    public var description: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .succeed(let value): "succeed(\(value))"
        case .failed(let error): "failed(\(type(of: error)))"
        }
    }
}

extension QueryState where Response: Sendable {
    /// Creates the state that shows a snapshot under a usage policy.
    ///
    /// This is the complete effect of the policy on the state. A value is valid for the time of the invalidation
    /// policy.
    public init(_ snapshot: Snapshot<Response>, config: QueryCacheConfig) {
        self = QueryStatePhase(snapshot, config: config).state(showing: snapshot.value)
    }
}

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
            : Self.underWay(snapshot, hasValue: hasValue, hadValue: hadValue, config)
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
        _ snapshot: Snapshot<Value>, hasValue: Bool, hadValue: Bool, _ config: QueryCacheConfig
    ) -> QueryStatePhase {
        // An error that the snapshot still shows was not hidden by a request.
        guard hasValue else { return snapshot.error.map { .failed($0) } ?? .loading }
        if snapshot.isPlaceholder || snapshot.hasYielded { return .succeed }
        if snapshot.cause?.isTriggered == true {
            // A failure that was shown instead of the value stays until the fetch ends.
            guard snapshot.error != nil, !hadValue else { return .succeed }
            return atRest(snapshot, hasValue: hasValue, hadValue: hadValue, config)
        }
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
            && isPlaceholder == other.isPlaceholder && isCleared == other.isCleared
            && isOptimistic == other.isOptimistic
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

    var staleTime: StaleTime {
        switch self {
        case .notExpires: .never
        case .expiresAfter(let seconds): .after(Duration(untrustedSeconds: seconds) ?? .zero)
        }
    }
}
