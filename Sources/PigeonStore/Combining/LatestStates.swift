/// What is known of several inputs at one moment: the newest state of each, whether that was taken, and who goes on.
///
/// Holds one combination, the newest. What was not taken in time is gone.
struct LatestStates<States> {
    /// Each `nil` until its input has told a state.
    private var states: States
    private var silent: Set<Int>
    private var running: Set<Int>
    private var isNew = false

    init(_ none: States, count: Int) {
        states = none
        silent = Set(0..<count)
        running = silent
    }

    /// Whether no further combination can come, and the last one was taken.
    var isOver: Bool {
        guard silent.isSubset(of: running) else { return true }
        return running.isEmpty && !isNew
    }

    /// Whether there is a combination that was not taken.
    var hasNew: Bool { isNew && !isOver }

    /// An input told a state.
    ///
    /// - Returns: What was there before, to be freed where no lock is held.
    mutating func tell(_ input: Int, _ change: (inout States) -> Void) -> States {
        let old = states
        change(&states)
        silent.remove(input)
        isNew = silent.isEmpty
        return old
    }

    /// An input tells no more.
    mutating func end(_ input: Int) {
        running.remove(input)
    }

    /// The newest combination, once.
    mutating func take() -> States? {
        guard hasNew else { return nil }
        isNew = false
        return states
    }
}
