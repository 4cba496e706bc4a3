/// What a query is at, as one of four cases.
///
/// The enum is what a simple screen switches over. What else is known (the last value during a load, the error beside a
/// cached value, times and causes) is in the query's `snapshot`.
public enum QueryState<Response> {
    /// Nothing was requested yet.
    case idle
    /// A fetch runs, and the usage policy has nothing to show meanwhile.
    case loading
    /// There is a value.
    case succeed(Response)
    /// The fetch failed, and there is nothing to show instead.
    case failed(any Error)

    /// The value in ``succeed(_:)``; `nil` otherwise.
    public var value: Response? {
        if case .succeed(let value) = self { value } else { nil }
    }

    /// The error in ``failed(_:)``; `nil` otherwise.
    public var error: (any Error)? {
        if case .failed(let error) = self { error } else { nil }
    }

    /// Whether a fetch runs.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The same state with another value.
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
    /// `idle`, `loading`, `succeed(…)` or `failed(…)`, with the value as it describes itself.
    public var description: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .succeed(let value): "succeed(\(value))"
        case .failed(let error): "failed(\(type(of: error)))"
        }
    }
}
