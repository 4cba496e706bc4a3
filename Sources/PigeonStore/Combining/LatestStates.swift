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

/// The newest states of two inputs, and so on.
typealias Latest2<A, B> = (LoadingState<A>?, LoadingState<B>?)
typealias Latest3<A, B, C> = (LoadingState<A>?, LoadingState<B>?, LoadingState<C>?)
typealias Latest4<A, B, C, D> = (LoadingState<A>?, LoadingState<B>?, LoadingState<C>?, LoadingState<D>?)
typealias Latest5<A, B, C, D, E> = (
    LoadingState<A>?, LoadingState<B>?, LoadingState<C>?, LoadingState<D>?, LoadingState<E>?
)

/// What the newest states say together; `nil` while one of them is missing.
func zipped<A, B, Z>(_ latest: Latest2<A, B>, _ transform: (A, B) -> Z) -> LoadingState<Z>? {
    guard let a = latest.0, let b = latest.1 else { return nil }
    return a.zip(b, transform)
}

func zipped<A, B, C, Z>(_ latest: Latest3<A, B, C>, _ transform: (A, B, C) -> Z) -> LoadingState<Z>? {
    guard let a = latest.0, let b = latest.1, let c = latest.2 else { return nil }
    return a.zip(b, c, transform)
}

func zipped<A, B, C, D, Z>(_ latest: Latest4<A, B, C, D>, _ transform: (A, B, C, D) -> Z) -> LoadingState<Z>? {
    guard let a = latest.0, let b = latest.1, let c = latest.2, let d = latest.3 else { return nil }
    return a.zip(b, c, d, transform)
}

func zipped<A, B, C, D, E, Z>(
    _ latest: Latest5<A, B, C, D, E>, _ transform: (A, B, C, D, E) -> Z
) -> LoadingState<Z>? {
    guard let a = latest.0, let b = latest.1, let c = latest.2, let d = latest.3, let e = latest.4 else { return nil }
    return a.zip(b, c, d, e, transform)
}
