/// Holds the newest item for one reader. Older ones that were not read in time are dropped.
package final class Mailbox<Item: Sendable>: Sendable {
    private struct State {
        var item: Item?
        var reader: CheckedContinuation<Item?, Never>?
        var isClosed = false
    }

    private let state = Locked(State())

    package init() {}

    package func put(_ item: Item) {
        let (reader, old) = state.withLock { state -> (CheckedContinuation<Item?, Never>?, Item?) in
            guard !state.isClosed else { return (nil, nil) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, nil)
            }
            defer { state.item = item }
            return (nil, state.item)
        }
        _ = old
        reader?.resume(returning: item)
    }

    /// Puts the first item, unless a newer one came meanwhile.
    package func putFirst(_ item: Item) {
        state.withLock { state in
            if state.item == nil { state.item = item }
        }
    }

    /// The next item; `nil` once closed or once the reader's task is cancelled.
    package func next() async -> Item? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (ready, isOver, rival) = state.withLock {
                    state -> (Item?, Bool, CheckedContinuation<Item?, Never>?) in
                    if state.isClosed { return (nil, true, nil) }
                    if let item = state.item {
                        state.item = nil
                        return (item, true, nil)
                    }
                    defer { state.reader = continuation }
                    return (nil, false, state.reader)
                }
                rival?.resume(returning: nil)
                if isOver { continuation.resume(returning: ready) }
            }
        } onCancel: {
            _LockPoints.holdTurn(close)
        }
    }

    package func close() {
        let (reader, old) = state.withLock { state -> (CheckedContinuation<Item?, Never>?, Item?) in
            state.isClosed = true
            defer {
                state.reader = nil
                state.item = nil
            }
            return (state.reader, state.item)
        }
        _ = old
        reader?.resume(returning: nil)
    }
}
