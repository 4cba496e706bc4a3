#if canImport(SwiftUI)
    /// Asks again for what failed to load, from a button.
    public typealias RetryAction = @MainActor () -> Void
#endif
