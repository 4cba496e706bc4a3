/// The state of a query, as one of four cases.
///
/// A simple screen switches over these cases. The query's `snapshot` has more: the last value during a load, the error
/// besides a cached value, times and causes.
public enum QueryState<Response> {
    /// The query has made no request yet.
    case idle
    /// A fetch runs, and the usage policy has no value to show.
    case loading
    /// There is a value.
    case succeed(Response)
    /// The fetch failed, and there is no value to show instead.
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
