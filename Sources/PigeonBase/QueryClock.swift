/// The engine's source of time in process, and its alarm.
///
/// ``SystemClock`` is the real one; `ManualClock` of PigeonTesting stands still until told.
public protocol QueryClock: Sendable {
    /// The present moment. Never earlier than one returned before. Called under the client's lock: it must not block
    /// and must not call the client.
    func now() -> MonotonicInstant

    /// Calls `action` once, at `deadline` or as soon after as possible, on any thread.
    ///
    /// - Returns: A handle that calls the alarm off. Calling off one that has fired does nothing.
    func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle
}

/// Calls off an alarm of a ``QueryClock``.
public struct AlarmHandle: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates a handle from what calls the alarm off.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Calls the alarm off.
    public func cancel() {
        onCancel()
    }
}

/// The machine's continuous clock, which goes on while the machine sleeps.
///
/// Works without a main run loop: alarms fire on a queue of their own.
public struct SystemClock: QueryClock {
    private static let origin = ContinuousClock.now

    /// Creates a clock. All system clocks of a process share one origin.
    public init() {}

    /// The time since this process first asked.
    public func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: Self.origin.duration(to: .now).clampedNanoseconds)
    }

    /// Schedules on a background queue, with the precision of a dispatch timer. Calling off costs no system call, and
    /// scheduling none unless no other alarm of the process is due before.
    public func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let alarms = AlarmQueue.shared
        let id = alarms.add(deadline, action)
        return AlarmHandle { alarms.remove(id) }
    }
}
