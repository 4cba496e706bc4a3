/// Holds the newest item for one reader. An item that is not read in time is replaced.
@usableFromInline
package final class Mailbox<Item: Sendable>: Sendable {
    @usableFromInline typealias Reader = CheckedContinuation<Item?, Never>
    @usableFromInline typealias Done = (reader: Reader, item: Item?)

    @usableFromInline
    struct State {
        @usableFromInline var item: Item?
        @usableFromInline var reader: Reader?
        @usableFromInline var isFinished = false

        @inlinable init() {}

        /// Removes the reader, with the item, if it need not wait any longer.
        @inlinable
        mutating func takeReader() -> Done? {
            guard let reader, item != nil || isFinished else { return nil }
            defer { (self.reader, item) = (nil, nil) }
            return (reader, item)
        }
    }

    @usableFromInline let state = Locked(State())

    @inlinable package init() {}

    // MARK: Sending

    @inlinable
    package func put(_ item: Item) {
        update { $0 = item }
    }

    /// Puts the first item, unless the mailbox already has a newer one.
    @inlinable
    package func putFirst(_ item: Item) {
        update { if $0 == nil { $0 = item } }
    }

    /// Changes the item. Does nothing once the mailbox is finished or closed.
    ///
    /// - Parameter change: Called under a lock with the unread item, if there is one.
    @inlinable
    package func update(_ change: (inout Item?) -> Void) {
        send { state in
            if !state.isFinished { change(&state.item) }
        }
    }

    /// Ends reading after the last item.
    @inlinable
    package func finish() {
        send { $0.isFinished = true }
    }

    /// Ends reading, and drops the item.
    @inlinable
    package func close() {
        send { ($0.isFinished, $0.item) = (true, nil) }
    }

    /// Changes the state, and resumes the reader if it need not wait any longer. The old item is released outside the lock.
    @inlinable
    func send(_ change: (inout State) -> Void) {
        let (old, done) = state.withLock { state -> (Item?, Done?) in
            let old = state.item
            change(&state)
            return (old, state.takeReader())
        }
        _ = old
        done?.reader.resume(returning: done?.item)
    }

    // MARK: Reading

    /// Waits for an item. Returns `nil` at the end, or if the reader's task is cancelled, which closes the mailbox. If
    /// two readers wait at the same time, the first one gets `nil`.
    @inlinable
    package func next() async -> Item? {
        if !Task.isCancelled, let item = state.withLock({ $0.item.take() }) { return item }
        let item = await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let (rival, done) = state.withLock { state in
                    let rival = state.reader
                    state.reader = continuation
                    return (rival, state.takeReader())
                }
                rival?.resume(returning: nil)
                done?.reader.resume(returning: done?.item)
            }
        } onCancel: {
            _LockPoints.holdTurn(close)
        }
        state.synchronizeAfterResumption()
        return item
    }
}
