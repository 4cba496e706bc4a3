@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension TaskExecutor {
    /// Starts a task on this thread where the system supports that, and continues it on the executor.
    @discardableResult
    func launch(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return Task(executorPreference: self) { await operation() }
        }
        return Task.immediate(executorPreference: self) { await operation() }
    }
}
