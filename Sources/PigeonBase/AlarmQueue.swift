/// Schedules all alarms of the process's ``SystemClock`` with one timer. Setting a timer wakes a thread, which costs
/// more than the work of most alarms, and most alarms are cancelled.
final class AlarmQueue: Sendable {
    static let shared = AlarmQueue()

    fileprivate struct Alarm: Comparable {
        let deadline: MonotonicInstant
        let id: UInt64

        static func < (one: Alarm, other: Alarm) -> Bool {
            (one.deadline, one.id) < (other.deadline, other.id)
        }
    }

    fileprivate struct State {
        var order = _Heap<Alarm>()
        /// The actions of alarms that are not cancelled. `order` keeps cancelled alarms until they are due, or until
        /// there are too many of them.
        var actions: [UInt64: @Sendable () -> Void] = [:]
        var lastID: UInt64 = 0
        /// The time for which the timer is set. `nil` if it is not set.
        var set: MonotonicInstant?
        let timer: AlarmTimer
    }

    private let state: Locked<State>

    private init() {
        let timer = AlarmTimer()
        state = Locked(State(timer: timer))
        timer.start { [unowned self] in fire() }  // the only queue lives as long as the process
    }

    func add(_ deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.actions[state.lastID] = action
            state.order.insert(Alarm(deadline: deadline, id: state.lastID))
            state.setTimer()
            return state.lastID
        }
    }

    func remove(_ id: UInt64) {
        let action = state.withLock { state in
            defer { state.dropRemoved() }
            return state.actions.removeValue(forKey: id)
        }
        _ = action  // released outside the lock
    }

    /// Runs the due actions, each separately, because they are user code and may block.
    private func fire() {
        let due = state.withLock { state in
            state.set = nil
            defer { state.setTimer() }
            return state.takeDue(at: SystemClock().now())
        }
        for action in due { AlarmTimer.run(action) }
    }
}

extension AlarmQueue.State {
    /// Sets the timer to the first alarm, unless the timer is already set to an earlier time.
    fileprivate mutating func setTimer() {
        guard let first = order.min, set.map({ first.deadline < $0 }) ?? true else { return }
        set = first.deadline
        timer.set(max(0, SystemClock().now().duration(to: first.deadline).clampedNanoseconds))
    }

    fileprivate mutating func takeDue(at now: MonotonicInstant) -> [@Sendable () -> Void] {
        var due: [@Sendable () -> Void] = []
        while let first = order.min, first.deadline <= now {
            order.popMin()
            if let action = actions.removeValue(forKey: first.id) { due.append(action) }
        }
        return due
    }

    /// Removes the cancelled alarms once they outnumber the others.
    fileprivate mutating func dropRemoved() {
        guard order.count > 2 * actions.count + 64 else { return }
        order = _Heap(order.unordered.filter { actions[$0.id] != nil })
    }
}
