/// A source of time within the process, which also schedules alarms.
///
/// ``SystemClock`` is the real clock. `ManualClock` of PigeonTesting advances only when a test advances it.
public protocol QueryClock: Sendable {
    /// Returns the current time, which is never earlier than a time returned before. Called under the client's lock, so
    /// it must not block and must not call the client.
    func now() -> MonotonicInstant

    /// Calls `action` once, at `deadline` or as soon after as possible, on any thread.
    ///
    /// - Returns: A handle that cancels the alarm. Cancelling an alarm that has fired does nothing.
    func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle
}

/// A clock that a program or a developer tool can advance.
package protocol AdjustableClock: QueryClock {
    func advance(by duration: Duration)
}

/// Cancels an alarm of a ``QueryClock``.
public struct AlarmHandle: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates a handle with a closure that cancels the alarm.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Cancels the alarm.
    public func cancel() {
        onCancel()
    }
}

/// The machine's continuous clock, which continues while the machine sleeps.
///
/// Works without a main run loop: alarms fire on background threads.
public struct SystemClock: QueryClock {
    private static let origin = ContinuousClock.now

    /// Creates a clock. All system clocks of a process share one origin.
    public init() {}

    /// Returns the time since the first call in this process.
    public func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Self.origin.duration(to: .now).clampedNanoseconds)
    }

    /// Schedules an alarm on a background queue, with the precision of a dispatch timer. Cancelling needs no system
    /// call. Scheduling needs one only if no other alarm of the process is due earlier.
    public func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let alarms = AlarmQueue.shared
        let id = alarms.add(deadline, action)
        return AlarmHandle { alarms.remove(id) }
    }
}
