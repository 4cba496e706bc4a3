// Whom to tell what next.

extension FutureState {
    /// What is to be done next, outside of the lock.
    enum Step {
        case call([FutureHandler], FutureEvent)
        case release([FutureHandler])
        case releaseHandle(FutureHandle)
        case goOn([FutureWaiter], FutureOutcome<AnyFutureValue>)
    }

    /// - Returns: Whether the caller must deliver.
    mutating func attach(_ handler: FutureHandler) -> Bool {
        handlers.append(handler)
        return claimDelivery()
    }

    /// - Returns: Whether the caller must deliver.
    mutating func attach(_ waiter: FutureWaiter) -> Bool {
        waiters.append(waiter)
        return claimDelivery()
    }

    /// Takes how far the source has come. Handlers that are slower than progress get the newest.
    mutating func report(_ new: TransferProgress) -> (watchers: [TransferReport], mustDeliver: Bool) {
        guard isOpen else { return ([], false) }
        guard handlers.contains(where: { $0.kinds.contains(.progress) }) else {
            return (waiters.compactMap(\.progress), false)
        }
        progress = new
        defer { isDelivering = true }
        return (waiters.compactMap(\.progress), !isDelivering)
    }

    /// Whether an event that is about to be told is still true. From then on the outcome stands.
    mutating func tell(_ event: FutureEvent) -> Bool {
        switch (event, outcome) {
        case (.progress, .cancelled): return false
        case (.progress, _): return !isTold
        case (.completion, _): return true
        case (.success, .success), (.failure, .failure), (.cancellation, .cancelled):
            isTold = true
            return true
        case (.failure, .success): return lateError != nil
        default: return false
        }
    }

    /// The next to be told: of progress, then of the outcome, then of the completion; at last whoever goes on from there.
    ///
    /// - Returns: `nil` when there is nobody, and the caller delivers no longer.
    mutating func next() -> Step? {
        if let progress {
            self.progress = nil
            return .call(handlers.filter { $0.kinds.contains(.progress) }, .progress(progress))
        }
        guard let outcome else { return rest() }
        for event in events(of: outcome) {
            if let index = handlers.firstIndex(where: { $0.kinds.contains(event.kind) }) {
                return .call([handlers.remove(at: index)], event)
            }
        }
        if case .ending = phase {
            phase = .ended(outcome)
            return .release(removeHandlers { !$0.kinds.contains(.completion) })
        }
        if let index = handlers.firstIndex(where: { $0.kinds.contains(.completion) }) {
            return .call([handlers.remove(at: index)], .completion)
        }
        if !handlers.isEmpty { return .release(removeHandlers { _ in true }) }
        if let handle {
            self.handle = nil
            return .releaseHandle(handle)
        }
        guard !waiters.isEmpty else { return rest() }
        isDelivering = false
        defer { waiters = [] }
        return .goOn(waiters, outcome)
    }

    private func events(of outcome: FutureOutcome<AnyFutureValue>) -> [FutureEvent] {
        switch outcome {
        case .success(let value): [.success(value)] + (lateError.map { [.failure($0)] } ?? [])
        case .failure(let error): [.failure(error)]
        case .cancelled: [.cancellation]
        }
    }

    private mutating func rest() -> Step? {
        isDelivering = false
        return nil
    }

    private mutating func claimDelivery() -> Bool {
        guard case .ended = phase, !isDelivering else { return false }
        isDelivering = true
        return true
    }

    private mutating func removeHandlers(where isOver: (FutureHandler) -> Bool) -> [FutureHandler] {
        let old = handlers
        handlers.removeAll(where: isOver)
        return old
    }
}
