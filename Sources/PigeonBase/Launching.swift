#if canImport(Dispatch)
    internal import Dispatch
    internal import Foundation
#endif

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

/// Starts a task as ``launchImmediately(_:)`` does, with the caller's priority and without its task-locals, except
/// ``OngoingWork``.
@discardableResult
package func launchDetached(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let work = OngoingWork.current else { return launchBare(operation) }
    return launchBare { await OngoingWork.$current.withValue(work, operation: operation) }
}

private func launchBare(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Task.immediateDetached(priority: Task.currentPriority) { await operation() }
    } else {
        Task.detached(priority: Task.currentPriority) { await operation() }
    }
}

/// Names the work that the current task does, such as the renewal of a token, so that what this work needs does not wait
/// for it. It follows the task into the fetches that it starts.
package enum OngoingWork {
    /// The object that does the work. `nil` outside.
    @TaskLocal package static var current: ObjectIdentifier?
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

/// Runs an operation on the caller's actor. Calls `onCancel` when the task is cancelled meanwhile.
///
/// Use it instead of `withTaskCancellationHandler`, whose operation leaves the actor: what the main actor waits for would
/// come back by way of the pool.
@usableFromInline
package func withCancellationHandler<Success>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Success,
    onCancel: @Sendable () -> Void
) async rethrows -> Success {
    try await withTaskCancellationHandler {
        _ = isolation  // The closure stays on the actor that it captures.
        return try await operation()
    } onCancel: {
        onCancel()
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

extension MainActor {
    #if canImport(Dispatch)
        /// Marks the main queue, so that code can detect that it runs there. On Linux, the main queue need not run on
        /// the main thread.
        private static let mark: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        /// True if the caller runs on the main actor, so that `assumeIsolated` is safe.
        package static var isCurrent: Bool {
            DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
        }
    #else
        /// Always `false` on WebAssembly, which offers no way to detect it. Work for the main actor is scheduled there
        /// instead.
        package static var isCurrent: Bool { false }
    #endif

    /// Runs an action at once if the caller is on the main actor. Otherwise schedules it there.
    package static func runSoon(_ action: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            assumeIsolated(action)
        } else {
            Task { @MainActor in action() }
        }
    }
}

/// Schedules an action on the main actor. Further requests are ignored until the action runs.
package final class MainScheduler: Sendable {
    private let isScheduled = Locked(false)

    package init() {}

    /// Schedules an action. If an action is already scheduled, that one runs, and this one is ignored.
    package func schedule(_ action: @escaping @MainActor @Sendable () -> Void) {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
        Task { @MainActor in
            isScheduled.withLock { $0 = false }
            action()
        }
    }
}

/// Tracks which object attaches to data on the main actor.
///
/// SwiftUI makes objects and evaluates bodies while it updates views, and permits no other object to announce changes
/// during that time. It does not say when that is. But what changes then is changed by an object that attaches, so other
/// objects announce changes afterwards, in the next turn of the main actor.
@MainActor
package enum Attaching {
    /// The innermost object that attaches. `nil` if none does.
    @exclusivity(unchecked)
    package private(set) nonisolated(unsafe) static var object: ObjectIdentifier?  // touched on the main actor only

    /// Runs a function in which an object attaches to data.
    package static func by<Result>(_ object: AnyObject, _ body: () -> Result) -> Result {
        let outer = self.object
        self.object = ObjectIdentifier(object)
        defer { self.object = outer }
        return body()
    }

    /// Runs a function, on any thread, with which an object that is not known attaches to data: a model that calls the
    /// client. On the main actor, `object` counts as the one that attaches, unless one does already.
    ///
    /// - Parameter object: An object that announces no changes, such as the client.
    package nonisolated static func through<Result>(_ object: AnyObject, _ body: () throws -> Result) rethrows -> Result
    {
        guard MainActor.isCurrent, self.object == nil else { return try body() }
        self.object = ObjectIdentifier(object)
        defer { self.object = nil }
        return try body()
    }

    /// True if no other object attaches.
    package static func permitsAnnouncement(by object: AnyObject) -> Bool {
        self.object == nil || self.object == ObjectIdentifier(object)
    }
}
