#if canImport(Dispatch)
    internal import Dispatch

    typealias AlarmTimer = DispatchTimer

    /// Wakes the ``AlarmQueue``: a timer of the system, on a queue of its own.
    struct DispatchTimer: @unchecked Sendable {  // a dispatch source may be used from any thread
        private let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pigeon.clock", qos: .utility))

        /// Has a handler called whenever the timer goes off. Once, before anything is set.
        func start(_ handler: @escaping @Sendable () -> Void) {
            source.setEventHandler(handler: handler)
            source.resume()
        }

        /// Goes off once, after so many nanoseconds. Takes the place of what was set before.
        func set(_ delay: Int64) {
            source.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)))
        }
    }
#else
    typealias AlarmTimer = TaskTimer
#endif

/// A timer that is a task which sleeps, for WebAssembly, where there are neither dispatch queues nor threads.
package final class TaskTimer: Sendable {
    private struct State {
        var handler: @Sendable () -> Void = {}
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())

    /// Creates a timer that is not set.
    package init() {}

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// Has a handler called whenever the timer goes off.
    package func start(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Goes off once, after so many nanoseconds. Takes the place of what was set before.
    package func set(_ delay: Int64) {
        let handler = state.withLock { $0.handler }
        let next = Task {
            guard (try? await Task.sleep(for: .nanoseconds(delay))) != nil, !Task.isCancelled else { return }
            handler()
        }
        let last = state.withLock { state in
            defer { state.task = next }
            return state.task
        }
        last?.cancel()
    }
}
