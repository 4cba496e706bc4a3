#if canImport(Dispatch)
    internal import Dispatch

    typealias AlarmTimer = DispatchTimer

    /// Wakes the ``AlarmQueue`` with timers of the system, on a separate queue.
    ///
    /// Dispatch has no timer for the clock that ``SystemClock`` reads, which continues while the machine sleeps. One
    /// timer counts the time awake. The other follows the wall clock, which continues during sleep but can be set. The
    /// timer that fires first wakes the queue, and the queue reads its clock.
    struct DispatchTimer: @unchecked Sendable {  // dispatch sources may be used from any thread
        private let awake: any DispatchSourceTimer
        private let wall: any DispatchSourceTimer

        /// The additional delay of the wall-clock timer, with which it fires first only after a sleep.
        private static let margin = DispatchTimeInterval.milliseconds(20)

        init() {
            let queue = DispatchQueue(label: "pigeon.clock", qos: .utility)
            awake = DispatchSource.makeTimerSource(queue: queue)
            wall = DispatchSource.makeTimerSource(queue: queue)
        }

        /// Sets the handler that is called whenever the timer fires. Must be called once, before the timer is set.
        func start(_ handler: @escaping @Sendable () -> Void) {
            for source in [awake, wall] {
                source.setEventHandler(handler: handler)
                source.resume()
            }
        }

        /// Sets the timer to fire once, after `delay` nanoseconds or slightly later. Replaces the previous setting.
        func set(_ delay: Int64) {
            let parts = TimerDelay<Int>(nanoseconds: delay)
            let seconds = DispatchTimeInterval.seconds(parts.seconds)
            let rest = DispatchTimeInterval.nanoseconds(parts.nanoseconds)
            awake.schedule(deadline: .now() + seconds + rest)
            wall.schedule(wallDeadline: .now() + seconds + rest + Self.margin)
        }

        /// Runs an action on another thread, so that it may block.
        static func run(_ action: @escaping @Sendable () -> Void) {
            DispatchQueue.global(qos: .utility).async(execute: action)
        }
    }
#else
    typealias AlarmTimer = TaskTimer
#endif

/// A delay in two numbers, since Dispatch counts in `Int`. On an older watch, an `Int` of nanoseconds ends at 2.1 s.
package struct TimerDelay<Number: FixedWidthInteger> {
    package let seconds: Number
    package let nanoseconds: Number

    /// Splits a delay. More seconds than the type has, 68 years on such a watch, become the most that it has.
    package init(nanoseconds delay: Int64) {
        seconds = Number(clamping: delay / 1_000_000_000)
        nanoseconds = Number(clamping: delay % 1_000_000_000)
    }
}

/// A timer made from a sleeping task, for WebAssembly, which has neither dispatch queues nor threads.
package final class TaskTimer: Sendable {
    private struct State {
        var handler: @Sendable () -> Void = {}
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())

    package init() {}

    deinit {
        state.withLock { $0.task }?.cancel()
    }

    /// Sets the handler that is called whenever the timer fires.
    package func start(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    /// Sets the timer to fire once, after `delay` nanoseconds. Replaces the previous setting.
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

    /// Runs an action at once, because there is only one thread.
    package static func run(_ action: @escaping @Sendable () -> Void) {
        action()
    }
}
