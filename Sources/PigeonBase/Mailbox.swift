/// Holds the newest item for one reader. An item that is not read in time is replaced.
package final class Mailbox<Item: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Item?, Never>
    private typealias Sender = CheckedContinuation<Bool, Never>
    private typealias Waiting = (item: Item?, sender: Sender?)
    private typealias Done = (reader: Reader, item: Item?, sender: Sender?)

    private struct State {
        var item: Item?
        var reader: Reader?
        /// Waits until the item is read or replaced.
        var sender: Sender?
        var isFinished = false

        /// Removes the reader, with the item and its sender, if it need not wait any longer.
        mutating func takeReader() -> Done? {
            guard let reader, item != nil || isFinished else { return nil }
            defer { (self.reader, item, sender) = (nil, nil, nil) }
            return (reader, item, sender)
        }
    }

    private let state = Locked(State())

    package init() {}

    // MARK: Sending

    /// Replaces the item.
    package func put(_ item: Item) {
        update { $0 = item }
    }

    /// Puts the first item, unless the mailbox already has a newer one.
    package func putFirst(_ item: Item) {
        update { if $0 == nil { $0 = item } }
    }

    /// Changes the item. Does nothing once the mailbox is finished or closed.
    ///
    /// - Parameter change: Called under a lock with the unread item, if there is one.
    package func update(_ change: (inout Item?) -> Void) {
        send { state in
            guard !state.isFinished else { return false }
            change(&state.item)
            return true
        }
    }

    /// Replaces the item, and waits until it is read.
    ///
    /// - Parameter isWanted: Called under a lock. If it returns `false`, nothing is replaced.
    /// - Returns: False if the item will not be read.
    package func offer(_ item: Item, if isWanted: () -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let isSent = send { state in
                guard !state.isFinished, isWanted() else { return false }
                (state.item, state.sender) = (item, continuation)
                return true
            }
            if !isSent { continuation.resume(returning: false) }
        }
    }

    /// Ends reading after the last item.
    package func finish() {
        let done = state.withLock { state in
            state.isFinished = true
            return state.takeReader()
        }
        done?.reader.resume(returning: nil)
    }

    /// Ends reading, and drops the item.
    package func close() {
        send { state in
            state.isFinished = true
            state.item = nil
            return true
        }
    }

    /// Changes the state, and resumes the tasks that need not wait any longer.
    ///
    /// - Parameter change: Returns `false` if it left the state unchanged.
    @discardableResult
    private func send(_ change: (inout State) -> Bool) -> Bool {
        let (replaced, done, isChanged) = state.withLock { state -> (Waiting, Done?, Bool) in
            let replaced = (item: state.item, sender: state.sender)
            state.sender = nil
            guard change(&state) else {
                state.sender = replaced.sender
                return ((replaced.item, nil), nil, false)
            }
            return (replaced, state.takeReader(), true)
        }
        replaced.sender?.resume(returning: false)
        done?.sender?.resume(returning: true)
        done?.reader.resume(returning: done?.item)
        return isChanged
    }

    // MARK: Reading

    /// Waits for an item. Returns `nil` at the end, or if the reader's task is cancelled, which closes the mailbox. If
    /// two readers wait at the same time, the first one gets `nil`.
    package func next() async -> Item? {
        let item = await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let (rival, done) = state.withLock { state in
                    let rival = state.reader
                    state.reader = continuation
                    return (rival, state.takeReader())
                }
                rival?.resume(returning: nil)
                done?.sender?.resume(returning: true)
                done?.reader.resume(returning: done?.item)
            }
        } onCancel: {
            _LockPoints.holdTurn(close)
        }
        state.synchronizeAfterResumption()
        return item
    }
}
