public import PigeonCore

/// Members that other libraries have under these names. The compiler names those of Pigeon.
extension Query {
    /// The error of the last fetch. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.error")
    public var error: (any Error)? { snapshot.error }

    /// True while a fetch runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isFetching, or snapshot.phase for a first load")
    public var isLoading: Bool { snapshot.isFetching }

    /// True while a fetch runs. It is part of the snapshot.
    @available(*, unavailable, message: "read snapshot.isFetching")
    public var isFetching: Bool { snapshot.isFetching }

    /// The last value.
    @available(*, unavailable, renamed: "value")
    public var data: Response? { value }
}

extension QueryDefinition {
    /// The time for which a value is fresh.
    @available(*, unavailable, renamed: "staleAfter(_:)")
    public func staleTime(_ time: StaleTime) -> Self { staleAfter(time) }

    /// The time for which an unused value is kept in memory.
    @available(*, unavailable, renamed: "keepFor(_:)")
    public func gcTime(_ time: Duration) -> Self { keepFor(time) }
}
