#if canImport(Dispatch)
    internal import Dispatch

    typealias AlarmTimer = DispatchTimer

    /// Wakes the ``AlarmQueue``: timers of the system, on a queue of their own.
    ///
    /// Dispatch has no timer on the clock that ``SystemClock`` reads, which goes on while the machine sleeps. One timer
    /// counts the time awake, and one follows the wall clock, which goes on in sleep but can be set. Whichever goes off
    /// first wakes the queue, and the queue reads its clock.
    struct DispatchTimer: @unchecked Sendable {  // dispatch sources may be used from any thread
        private let awake: any DispatchSourceTimer
        private let wall: any DispatchSourceTimer

        /// How much later the timer on the wall clock is set, so that it goes off only after a sleep.
        private static let margin = DispatchTimeInterval.milliseconds(20)

        init() {
            let queue = DispatchQueue(label: "pigeon.clock", qos: .utility)
            awake = DispatchSource.makeTimerSource(queue: queue)
            wall = DispatchSource.makeTimerSource(queue: queue)
        }

        /// Has a handler called whenever the timer goes off. Once, before anything is set.
        func start(_ handler: @escaping @Sendable () -> Void) {
            for source in [awake, wall] {
                source.setEventHandler(handler: handler)
                source.resume()
            }
        }

        /// Goes off once, after so many nanoseconds or a little later. Takes the place of what was set before.
        func set(_ delay: Int64) {
            awake.schedule(deadline: .now() + .nanoseconds(Int(clamping: delay)))
            wall.schedule(wallDeadline: .now() + .nanoseconds(Int(clamping: delay)) + Self.margin)
        }

        /// Runs an action on a thread of its own, so that it may block.
        static func run(_ action: @escaping @Sendable () -> Void) {
            DispatchQueue.global(qos: .utility).async(execute: action)
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

    /// Runs an action at once, as there is one thread.
    package static func run(_ action: @escaping @Sendable () -> Void) {
        action()
    }
}
