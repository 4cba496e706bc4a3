extension ResourceState {
    /// The same state with other content.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
    public func map<Other>(transform: (T) throws -> Other) rethrows -> ResourceState<Other> {
        with(try content.map(transform), latestError)
    }

    /// The same state with other content; or, where `transform` throws, with none and the error instead.
    ///
    /// An error that the resource itself has goes before: what could not be transformed may be no more than the
    /// consequence. A `RequestError` is kept as it is; any other becomes the cause of one.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
    public func tryMap<Other>(transform: (T) throws -> Other) -> ResourceState<Other> {
        do {
            return try map(transform: transform)
        } catch {
            return with(nil, latestError ?? RequestError(ofTransform: error))
        }
    }

    private func with<Other>(_ content: Other?, _ error: RequestError?) -> ResourceState<Other> {
        ResourceState<Other>(
            content: content, latestError: error, isLoading: isLoading, isRequesting: isRequesting,
            latestEvent: latestEvent, timestamp: timestamp, isUpToDate: isUpToDate)
    }
}
