/// Starts a task on the caller's thread where the system supports that, which saves a thread switch for work that does
/// not suspend. On older systems, starts an ordinary task.
@discardableResult
package func launchImmediately(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await operation() }
    } else {
        Task { await operation() }
    }
}

/// Starts a task with a result, as ``launchImmediately(_:)`` does.
package func launchImmediately<Success: Sendable>(
    returning operation: @escaping @Sendable () async -> Success
) -> Task<Success, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediate { await operation() }
    } else {
        Task { await operation() }
    }
}

/// Starts a task of the main actor from the main actor, as ``launchImmediately(_:)`` does.
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
