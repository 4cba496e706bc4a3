internal import Foundation
public import PigeonCore

/// A clock that advances only when a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let client = QueryClient(environment: QueryEnvironment(clock: clock))
/// clock.advance(by: .seconds(30))          // fires what is due, in order, before it returns
/// ```
public final class ManualClock: AdjustableClock {
    private struct Alarm {
        let id: Int
        let deadline: MonotonicInstant
        let action: @Sendable () -> Void
    }

    private struct State {
        var now = MonotonicInstant(nanoseconds: 0)
        var alarms: [Alarm] = []
        var nextID = 0
    }

    private let state = Locked(State())

    /// Creates a clock at its zero.
    public init() {}

    /// Returns the clock's time.
    public func now() -> MonotonicInstant {
        state.withLock { $0.now }
    }

    /// The date of the clock's time. The clock's zero is 2001-01-01 00:00 UTC.
    var date: Date { Date(timeIntervalSinceReferenceDate: Double(now().nanoseconds) / 1e9) }

    /// Number of scheduled alarms.
    public var alarmCount: Int { state.withLock { $0.alarms.count } }

    /// Schedules an alarm, which fires when the clock is advanced past it. An alarm that is already due fires at the
    /// next advance.
    public func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        let id = state.withLock { state in
            state.nextID += 1
            state.alarms.append(Alarm(id: state.nextID, deadline: deadline, action: action))
            return state.nextID
        }
        return AlarmHandle { [weak self] in
            self?.state.withLock { $0.alarms.removeAll { $0.id == id } }
        }
    }

    /// Advances the clock, and fires the alarms that become due, each at its own time, on this thread.
    public func advance(by duration: Duration) {
        advance(by: duration) {}
    }

    /// Advances the clock as ``advance(by:)`` does, and calls `pause` after each time at which an alarm was due.
    func advance(by duration: Duration, pause: () -> Void) {
        let end = now().advanced(by: duration)
        while let action = popAlarm(until: end) {
            action()
            pause()
        }
        state.withLock { $0.now = max($0.now, end) }
    }

    func fireNext() {
        popAlarm(until: MonotonicInstant(nanoseconds: .max))?()
    }

    /// Advances to the next alarm, and removes and returns it.
    private func popAlarm(until end: MonotonicInstant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let next = state.alarms.min(by: { ($0.deadline, $0.id) < ($1.deadline, $1.id) }),
                next.deadline <= end
            else { return nil }
            state.alarms.removeAll { $0.id == next.id }
            state.now = max(state.now, next.deadline)
            return next.action
        }
    }
}
