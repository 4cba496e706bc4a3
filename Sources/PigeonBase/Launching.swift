/// Starts a task on the caller's thread, where the system can, so that work that does not suspend costs no thread switch;
/// on older systems an ordinary task.
@discardableResult
package func launchImmediately(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await operation() }
    } else {
        Task { await operation() }
    }
}

/// The same for work with a result.
package func launchImmediately<Success: Sendable>(
    returning operation: @escaping @Sendable () async -> Success
) -> Task<Success, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await operation() }
    } else {
        Task { await operation() }
    }
}

/// The same for work of the main actor, from the main actor.
@MainActor
@discardableResult
package func launchOnMain<Success: Sendable>(
    _ operation: @escaping @MainActor () async throws -> Success
) -> Task<Success, any Error> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { try await operation() }
    } else {
        Task { try await operation() }
    }
}
