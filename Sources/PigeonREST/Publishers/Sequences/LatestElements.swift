internal import PigeonBase

/// Hands one reader the elements of the newest of several sequences.
///
/// Each sequence has a number: what comes from another than the newest is dropped. One element waits at a time; who
/// brought it waits until it is taken.
final class LatestElements<Element: Sendable>: Sendable {
    private struct Waiting {
        let element: Element
        let taken: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var number = 0
        var waiting: Waiting?
        var reader: CheckedContinuation<Result<Element?, any Error>, Never>?
        /// What reads the elements of sequences, and what reads the newest sequence.
        var base: Task<Void, Never>?
        var inner: Task<Void, Never>?
        var isBegun = false
        var isBaseOver = false
        var isInnerRunning = false
        var isOver = false
        var error: (any Error)?

        /// Lets go of all, and returns it, to be freed and resumed where no lock is held.
        mutating func takeAll() -> State {
            let all = self
            (waiting, reader, base, inner) = (nil, nil, nil, nil)
            isOver = true
            return all
        }
    }

    private let state = Locked(State())

    // MARK: The reader

    /// The next element; `nil` at the end.
    ///
    /// - Parameter read: Reads the sequences, from the first call on.
    func next(
        reading read: @escaping @Sendable (LatestElements) async -> Void
    ) async -> Result<Element?, any Error> {
        await withTaskCancellationHandler {
            begin(read)
            return await withCheckedContinuation { take($0) }
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        finish(state.withLock { $0.takeAll() })
    }

    private func begin(_ read: @escaping @Sendable (LatestElements) async -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun && !state.isOver
        }
        guard isFirst else { return }
        let task = Task { await read(self) }
        let isWanted = state.withLock { state in
            if !state.isOver { state.base = task }
            return !state.isOver
        }
        if !isWanted { task.cancel() }
    }

    /// A second reader at a time sends the first one away.
    private func take(_ reader: CheckedContinuation<Result<Element?, any Error>, Never>) {
        typealias Answer = (result: Result<Element?, any Error>, taken: CheckedContinuation<Bool, Never>?)
        let (answer, rival) = state.withLock {
            state -> (Answer?, CheckedContinuation<Result<Element?, any Error>, Never>?) in
            if let waiting = state.waiting {
                state.waiting = nil
                return ((.success(waiting.element), waiting.taken), nil)
            }
            if state.isOver {
                defer { state.error = nil }
                return ((state.error.map { .failure($0) } ?? .success(nil), nil), nil)
            }
            defer { state.reader = reader }
            return (nil, state.reader)
        }
        rival?.resume(returning: .success(nil))
        answer?.taken?.resume(returning: true)
        if let answer { reader.resume(returning: answer.result) }
    }

    // MARK: The sequences

    /// A newer sequence comes: the one before is over. `nil` when nobody wants it any more.
    func begin() -> Int? {
        let (number, old, waiting) = state.withLock { state -> (Int?, Task<Void, Never>?, Waiting?) in
            guard !state.isOver else { return (nil, nil, nil) }
            state.number += 1
            state.isInnerRunning = true
            defer { (state.inner, state.waiting) = (nil, nil) }
            return (state.number, state.inner, state.waiting)
        }
        old?.cancel()
        waiting?.taken.resume(returning: false)
        return number
    }

    /// Reads the newest sequence.
    func read(_ number: Int, _ read: @escaping @Sendable () async -> Void) {
        guard state.withLock({ !$0.isOver && $0.number == number }) else { return }
        let task = Task { await read() }
        let isWanted = state.withLock { state in
            guard !state.isOver, state.number == number else { return false }
            state.inner = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Waits until the reader takes the element. `false` when it never will.
    func offer(_ element: Element, _ number: Int) async -> Bool {
        await withCheckedContinuation { taken in
            let (isTaken, reader) = state.withLock {
                state -> (Bool?, CheckedContinuation<Result<Element?, any Error>, Never>?) in
                guard !state.isOver, state.number == number else { return (false, nil) }
                guard let reader = state.reader else {
                    state.waiting = Waiting(element: element, taken: taken)
                    return (nil, nil)
                }
                state.reader = nil
                return (true, reader)
            }
            reader?.resume(returning: .success(element))
            if let isTaken { taken.resume(returning: isTaken) }
        }
    }

    /// A sequence is over.
    func end(_ number: Int) {
        end { state in
            guard state.number == number else { return false }
            state.isInnerRunning = false
            return state.isBaseOver
        }
    }

    /// There will be no newer sequence.
    func endBase() {
        end { state in
            state.isBaseOver = true
            return !state.isInnerRunning
        }
    }

    /// The sequences, or the newest of them, threw.
    func fail(_ error: any Error, _ number: Int?) {
        end { state in
            guard number == nil || number == state.number else { return false }
            state.error = error
            return true
        }
    }

    private func end(_ change: (inout State) -> Bool) {
        let old = state.withLock { state -> State? in
            guard !state.isOver, change(&state) else { return nil }
            let old = state.takeAll()
            if old.reader != nil { state.error = nil }
            return old
        }
        if let old { finish(old) }
    }

    private func finish(_ old: State) {
        old.base?.cancel()
        old.inner?.cancel()
        old.waiting?.taken.resume(returning: false)
        old.reader?.resume(returning: old.error.map { .failure($0) } ?? .success(nil))
    }
}
