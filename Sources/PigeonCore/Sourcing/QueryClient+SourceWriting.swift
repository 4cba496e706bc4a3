internal import Foundation

extension QueryClient {
    /// Changes the content of the source by a job in its queue, and shows the result. A change that has begun is completed
    /// if the caller is cancelled.
    ///
    /// Cancels a fetch that was requested earlier, because its answer predates the change.
    ///
    /// - Parameter endsWithTask: False to wait for the end after the task is cancelled.
    package func change<Value>(
        _ definition: QueryDefinition<Value>, endsWithTask: Bool = true,
        _ change: @escaping @Sendable () async throws -> Void
    ) async throws {
        guard let source = definition.fetcher?.source else { return }
        let (waiter, reference) = (WaitingCaller(), reference)
        try withSlot(for: definition) { state, slot in
            state.touch(slot)
            let (generation, key) = (slot.entry.nextGenerationForChange(), slot.key)
            state.work.sourceSteps.append(.run(source.queue))
            // Added under the lock, so that a later entry of the key adds its jobs after this one.
            source.queue.add {
                do {
                    try await change()
                    if let content = try await source.read() {
                        reference.client?.show(content, at: slot) { .source(.change($0, requested: generation)) }
                    } else {
                        reference.client?.send(.source(.change(nil, requested: generation)), to: slot)
                    }
                    waiter.outcome.resolve(.success(.nothing))
                } catch {
                    // A part of the change may have been made.
                    reference.client?.send(.source(.consult(.nothing)), to: slot)
                    reference.client?.report("the source could not be changed", error, at: key)
                    waiter.outcome.resolve(.failure(error))
                }
            }
        }
        try await waiter.outcome.value(onCancel: endsWithTask ? .resolves : .isIgnored)
    }

    /// Empties a source by a job in its queue. Answers to earlier requests are not stored afterwards, and later readings
    /// see the emptied source. Continues if the caller is cancelled.
    ///
    /// - Throws: The error of emptying the source. The remaining content is shown again.
    package func clear<Value>(_ definition: QueryDefinition<Value>, endsWithTask: Bool = true) async throws {
        guard definition.fetcher?.source != nil else { return }
        let (slot, emptied) = try withSlot(for: definition) { state, slot in
            let emptied = state.clearSource(of: slot)
            state.send(.clear(.written), to: slot)
            state.emit(.cleared, key: slot.key, .written)
            return (slot, emptied)
        }
        do {
            try await emptied?.outcome.value(onCancel: endsWithTask ? .resolves : .isIgnored)
        } catch {
            send(.source(.consult(.nothing)), to: slot)
            throw error
        }
    }

    // MARK: Saving

    /// Adds a job that saves the answer of a fetch in the source, and shows the resulting content. An answer that is
    /// outdated by then is not saved.
    func save(_ payload: Payload, of run: FetchRun, in source: any AnySource, isLast: Bool) {
        let (slot, generation, reference) = (run.slot, run.generation, reference)
        source.queue.add {
            guard let takes = reference.client?.takes(generation, at: slot) else { return }
            guard takes else {
                let late = CommitCandidate(base: payload, shown: payload)
                reference.client?.send(.answer(generation: generation, .value(late)), to: slot)
                return
            }
            guard let now = reference.client?.environment.wallClock() else { return }
            do {
                let answerDetails = run.answerDetails
                try await source.save(payload, at: now.addingTimeInterval(-Double(answerDetails.age) / 1e9))
                let saved = await Self.readBack(run.key, from: source, for: reference) ?? SourceContent(payload)
                reference.client?.show(saved, at: slot, answerDetails: answerDetails) { candidate in
                    guard slot.entry.takesAnswer(of: generation) else { return .source(.consult(.nothing)) }
                    return isLast
                        ? .answer(generation: generation, .value(candidate))
                        : .yield(generation: generation, candidate)
                }
            } catch {
                // Some of it may have been saved.
                reference.client?.send(.source(.consult(.nothing)), to: slot)
                guard !isLast else {
                    reference.client?.fail(error, run)
                    return
                }
                // The fetcher still runs, so it is stopped. A retry must not run beside it.
                run.stop()
                reference.client?.send(
                    .answer(generation: generation, .failure(Failure(error), retryIn: nil)), to: slot)
            }
        }
        source.queue.run(environment.launch)
    }

    /// Reads back the saved content of a source. Returns `nil` if it cannot be read. The caller then uses the fetched
    /// value.
    private static func readBack(
        _ key: QueryKey, from source: any AnySource, for reference: ClientReference
    ) async -> SourceContent? {
        do {
            return try await source.read()
        } catch {
            reference.client?.report("the source could not be read after it was saved", error, at: key)
            return nil
        }
    }

    /// Ends a fetch after all its values have been saved.
    func finish(_ run: FetchRun, in source: any AnySource, _ end: @escaping @Sendable (QueryClient) -> Void) {
        let reference = reference
        source.queue.add { if let client = reference.client { end(client) } }
        source.queue.run(environment.launch)
    }

    /// Adds a job that adds a page to the source, and shows the resulting content. A page that no longer follows the
    /// content is not added.
    func save(_ page: any LoadedPage, of run: FetchRun, in source: any AnySource) {
        let (slot, generation, reference) = (run.slot, run.generation, reference)
        let direction = run.direction ?? .next
        source.queue.add {
            guard let takes = reference.client?.takes(generation, at: slot) else { return }
            guard takes else {
                reference.client?.send(.answer(generation: generation, .cancelled), to: slot)
                return
            }
            do {
                guard try await source.add(page, direction), let saved = try await source.read() else {
                    // The source's content differs from the shown value. It is read before the page load ends, so that
                    // the callers learn whether there is still content that the page could follow.
                    reference.client?.send(.source(.consult(.nothing)), to: slot)
                    source.queue.add {
                        reference.client?.send(.answer(generation: generation, .misplaced), to: slot)
                    }
                    return
                }
                reference.client?.show(saved, at: slot, isAddition: true) { candidate in
                    slot.entry.takesAnswer(of: generation)
                        ? .answer(generation: generation, .value(candidate)) : .source(.consult(.nothing))
                }
            } catch {
                reference.client?.send(.source(.consult(.nothing)), to: slot)
                reference.client?.fail(error, run)
            }
        }
        source.queue.run(environment.launch)
    }

    private func takes(_ generation: UInt64, at slot: Slot) -> Bool {
        state.withLock { _ in slot.entry.takesAnswer(of: generation) }
    }
}
