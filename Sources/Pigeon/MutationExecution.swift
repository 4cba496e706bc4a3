import CombineShim
internal import PigeonBase
import PigeonCore

enum ExecutionStep<Response: Sendable>: Sendable {
    /// The execution waits for the network or for another mutation of its scope.
    case paused
    case running
    case ended(Result<Response, any Error>)
}

/// The delivery of an execution's steps on the main actor, in order. A step that occurs there is delivered at once, as
/// in a lab and with a fetcher that does not suspend. Any other step is delivered as soon as the main actor is free.
typealias ExecutionSteps<Response: Sendable> = Delivery<ExecutionStep<Response>, Never>

extension QueryClient {
    func complete<Response>(_ mutation: StartedMutation<Response>, sending steps: ExecutionSteps<Response>) async {
        await end(steps) {
            try await complete(mutation) { stage in steps.send(stage.isPaused ? .paused : .running) }
        }
    }

    /// Enqueues a mutation, and sends the steps until it has been executed or set aside. Cancelling the task discards a
    /// mutation that is still waiting.
    func complete<Change: DurableMutation>(_ change: Change, sending steps: ExecutionSteps<Change.Output>) async {
        await end(steps) {
            let enqueued = try await enqueue(change)
            let subscription = follow(enqueued.id, sending: steps)
            defer { subscription.cancel() }
            do {
                return try await enqueued.output()
            } catch {
                if Task.isCancelled, let id = enqueued.id { try? await outbox.discard(id) }
                throw error
            }
        }
    }

    /// Submits a mutation, and sends the submission as the only step.
    func submit<Change: DurableMutation>(
        _ change: Change, sending steps: ExecutionSteps<Submission<Change.Output>>
    ) async {
        await end(steps) { try await submit(change) }
    }

    /// Sends a step whenever the mutation starts to wait or to run.
    private func follow<Response>(
        _ id: OutboxItem.ID?, sending steps: ExecutionSteps<Response>
    ) -> QuerySubscription {
        let known = Locked<Bool?>(nil)
        let send: @Sendable () -> Void = { [outbox] in
            guard let id, let isRunning = outbox.isRunning(id) else { return }
            let isNew = known.withLock { known in
                defer { known = isRunning }
                return known != isRunning
            }
            if isNew { steps.send(isRunning ? .running : .paused) }
        }
        let subscription = outbox.onChange(send)
        send()
        return subscription
    }

    private func end<Response>(_ steps: ExecutionSteps<Response>, with run: () async throws -> Response) async {
        let result: Result<Response, any Error>
        do { result = .success(try await run()) } catch { result = .failure(error) }
        // In one update, so that the main actor is scheduled once.
        steps.update { queue in
            _ = queue.add(.ended(result))
            queue.end(.finished)
        }
        steps.deliver()
    }
}

extension MutationStage {
    fileprivate var isPaused: Bool {
        if case .paused = self { true } else { false }
    }
}
