#if canImport(SwiftUI)
    /// The action of a button that retries a failed load.
    public typealias RetryAction = @MainActor () -> Void
#endif
