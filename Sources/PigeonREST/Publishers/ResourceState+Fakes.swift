extension ResourceState {
    /// The state of a resource that is loaded, for previews and tests.
    ///
    /// - Parameter content: What is already there to be shown meanwhile.
    public static func fakeLoading(_ content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: true, isRequesting: true, latestEvent: .requested)
    }

    /// The state of a resource whose load failed, for previews and tests.
    ///
    /// - Parameter content: What was there before, and still is.
    public static func fakeFailure(_ error: RequestError, content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: error, isLoading: false, isRequesting: false, latestEvent: .error)
    }

    /// The state of a resource that was loaded, for previews and tests.
    public static func fake(_ content: T) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: false, isRequesting: false,
            latestEvent: .newData(.network), isUpToDate: true)
    }
}
