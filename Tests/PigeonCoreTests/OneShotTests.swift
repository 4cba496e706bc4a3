import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("OneShot", .timeLimit(.minutes(1)))
struct OneShotTests {
    private let oneShot = SharedOneShot<Int>()

    /// Waits for the result, and returns it as a text.
    private static func end(
        of oneShot: SharedOneShot<Int>, onCancel cancellation: OneShotCancellation = .endsWait
    ) async -> String {
        do {
            return "\(try await oneShot.value(onCancel: cancellation))"
        } catch {
            return error is CancellationError ? "cancelled" : "\(error)"
        }
    }

    /// Starts a task that waits when this returns.
    private func wait(onCancel cancellation: OneShotCancellation = .endsWait) -> Task<String, Never> {
        launchImmediately(returning: { [oneShot] in await Self.end(of: oneShot, onCancel: cancellation) })
    }

    /// Starts a task that waits once it is cancelled.
    private func waitCancelled(onCancel cancellation: OneShotCancellation = .endsWait) -> Task<String, Never> {
        let task = Task { [oneShot] in
            while !Task.isCancelled { await Task.yield() }
            return await Self.end(of: oneShot, onCancel: cancellation)
        }
        task.cancel()
        return task
    }

    @Test("The first result counts")
    func first() async throws {
        #expect(oneShot.result == nil)
        #expect(oneShot.resolve(.success(1)))
        #expect(!oneShot.resolve(.success(2)))
        #expect(!oneShot.resolve(.failure(CancellationError())))
        #expect(try oneShot.result?.get() == 1)
        #expect(try await oneShot.value() == 1)
    }

    @Test("An error is a result")
    func error() async {
        let task = wait()
        oneShot.resolve(.failure(QueryError.noFetcher(key: "a")))
        #expect(await task.value == "\(QueryError.noFetcher(key: "a"))")
        #expect(throws: QueryError.self) { try oneShot.result?.get() }
    }

    @Test("All tasks that wait get the result, and so do later ones")
    func many() async {
        let tasks = (0..<5).map { _ in wait() } + [wait(onCancel: .resolves), wait(onCancel: .isIgnored)]
        oneShot.resolve(.success(1))
        for task in tasks { #expect(await task.value == "1") }
        #expect(await wait().value == "1")
    }

    @Test("A task does not suspend if there is a result, even if it is cancelled")
    func resolved() async {
        oneShot.resolve(.success(1))
        let ends = Recorder<String>()
        launchImmediately { [oneShot] in ends.append(await Self.end(of: oneShot)) }
        #expect(ends.all == ["1"])
        for cancellation in [OneShotCancellation.endsWait, .resolves, .isIgnored] {
            #expect(await waitCancelled(onCancel: cancellation).value == "1")
        }
    }

    @Test("Cancelling a task ends its own wait. The others wait on", arguments: 0..<3)
    func cancelledAlone(index: Int) async {
        let tasks = (0..<3).map { _ in wait() }
        tasks[index].cancel()
        #expect(await tasks[index].value == "cancelled")
        #expect(oneShot.result == nil)
        let late = wait()
        #expect(oneShot.resolve(.success(1)))
        for other in [0, 1, 2] where other != index { #expect(await tasks[other].value == "1") }
        #expect(await late.value == "1")
    }

    @Test("A task that is cancelled before it waits does not wait")
    func cancelledBefore() async {
        let other = wait()
        #expect(await waitCancelled().value == "cancelled")
        #expect(oneShot.result == nil)
        #expect(await waitCancelled(onCancel: .resolves).value == "cancelled")
        #expect(await other.value == "cancelled", "the result of the task that resolves")
    }

    @Test("A result that comes after the cancellation does not count for the cancelled task")
    func cancelledFirst() async {
        let task = wait()
        task.cancel()
        oneShot.resolve(.success(1))
        #expect(await task.value == "cancelled")
    }

    @Test("Cancelling a task can resolve the one-shot, so that a result comes too late")
    func cancellationResolves() async {
        let (task, other) = (wait(onCancel: .resolves), wait())
        task.cancel()
        #expect(!oneShot.resolve(.success(1)))
        #expect(await task.value == "cancelled")
        #expect(await other.value == "cancelled")
    }

    @Test("A task can ignore its cancellation")
    func cancellationIsIgnored() async {
        let (task, early) = (wait(onCancel: .isIgnored), waitCancelled(onCancel: .isIgnored))
        task.cancel()
        #expect(oneShot.resolve(.success(1)))
        #expect(await task.value == "1")
        #expect(await early.value == "1")
    }

    @Test("Cancelling a task can call a function, which may set the result")
    func cancellationCalls() async {
        let task = wait(onCancel: .calls { [oneShot] in oneShot.resolve(.success(3)) })
        task.cancel()
        #expect(await task.value == "3")
    }

    @Test("A result is released with its one-shot")
    func released() {
        final class Thing: Sendable {}
        weak var thing: Thing?
        do {
            let oneShot = SharedOneShot<Thing>()
            let new = Thing()
            thing = new
            oneShot.resolve(.success(new))
            #expect(thing != nil)
        }
        #expect(thing == nil)
    }

    @Test("A one-shot can lie in an object of another module")
    func inOwner() async throws {
        final class Owner: Sendable {
            let number = OneShot<Int>()
        }
        let owner = Owner()
        let task = launchImmediately(returning: { try? await owner.number.value(onCancel: .resolves) })
        let isFirst = owner.number.resolve(.success(1))
        #expect(isFirst)
        #expect(await task.value == 1)
        let result = owner.number.result
        #expect(try result?.get() == 1)
    }

    @Test("The first result counts, whatever the threads do")
    func racingResults() async throws {
        for seed: UInt64 in 0..<100 {
            try await Interleaving(seed: seed).run { _ in
                let oneShot = SharedOneShot<Int>()
                async let first = oneShot.resolve(.success(1))
                async let second = oneShot.resolve(.success(2))
                async let other = Self.end(of: oneShot)
                let value = try await oneShot.value()
                let (areFirst, end) = await ([first, second], other)
                #expect(areFirst == [value == 1, value == 2])
                #expect(end == "\(value)")
            }
        }
    }

    /// Resolves a one-shot while one of two tasks that wait for it is cancelled.
    ///
    /// - Returns: For each seed, the end of the cancelled task and of the other, and whether the result counted.
    private static func race(
        onCancel cancellation: OneShotCancellation
    ) async throws -> [(end: String, otherEnd: String, counts: Bool)] {
        var ends: [(end: String, otherEnd: String, counts: Bool)] = []
        for seed: UInt64 in 0..<100 {
            ends += [
                try await Interleaving(seed: seed).run { _ in
                    let oneShot = SharedOneShot<Int>()
                    async let other = Self.end(of: oneShot)
                    async let isFirst = oneShot.resolve(.success(1))
                    let end = await Self.cancelled(oneShot, onCancel: cancellation)
                    return await (end, other, isFirst)
                }
            ]
        }
        return ends
    }

    @Test("Of a result and a cancellation that resolves, one counts, whatever the threads do")
    func racingResolution() async throws {
        for (end, otherEnd, counts) in try await Self.race(onCancel: .resolves) {
            #expect(end == (counts ? "1" : "cancelled"))
            #expect(otherEnd == end)
        }
    }

    @Test("A cancelled task does not keep a result from the others, whatever the threads do")
    func racingCancellation() async throws {
        for (end, otherEnd, counts) in try await Self.race(onCancel: .endsWait) {
            #expect(end == "1" || end == "cancelled")
            #expect(counts)
            #expect(otherEnd == "1")
        }
    }

    /// Waits in a task that is cancelled meanwhile.
    private static func cancelled(
        _ oneShot: SharedOneShot<Int>, onCancel cancellation: OneShotCancellation
    ) async -> String {
        await withTaskGroup(of: String.self) { group in
            group.addTask { await end(of: oneShot, onCancel: cancellation) }
            group.cancelAll()
            return await group.next() ?? "no task"
        }
    }
}

@Suite("TaskHandle", .timeLimit(.minutes(1)))
struct TaskHandleTests {
    private let handle = TaskHandle()

    /// A task that ends when it is cancelled.
    private func makeTask() -> Task<Void, Never> {
        Task { while !Task.isCancelled { await Task.yield() } }
    }

    @Test("Cancels the task that it holds")
    func cancelled() async {
        let task = makeTask()
        handle.hold(task)
        #expect(!handle.isCancelled)
        handle.cancel()
        #expect(handle.isCancelled)
        await task.value
    }

    @Test("Cancels a task that it holds only after it was cancelled")
    func cancelledBefore() async {
        handle.cancel()
        let task = makeTask()
        handle.hold(task)
        #expect(task.isCancelled)
        await task.value
    }

    @Test("A task that is started after the cancellation is cancelled from the start")
    func launchedLate() {
        handle.cancel()
        let seen = Recorder<Bool>()
        handle.launch(QueryEnvironment.launchImmediately) { seen.append(Task.isCancelled) }
        #expect(seen.all == [true])
    }

    @Test("A task that it has started runs until it is cancelled")
    func launched() async {
        let seen = Recorder<Bool>()
        handle.launch(QueryEnvironment.launchImmediately) {
            seen.append(Task.isCancelled)
            while !Task.isCancelled { await Task.yield() }
            seen.append(true)
        }
        #expect(seen.all.first == false)
        handle.cancel()
        await seen.wait(for: 2)
    }

    @Test("Cancels a task that has begun, but that it does not hold yet")
    func cancelledBetween() async throws {
        let (hasBegun, wasCancelled) = (SharedOneShot<Void>(), SharedOneShot<Bool>())
        // Not a thread of the pool, which may have no other one for the task.
        Thread.detachNewThread { [handle] in
            handle.launch(
                { work in
                    let task = Task { await work() }
                    // The task runs on another thread, and is cancelled before its starter goes on.
                    while hasBegun.result == nil { Thread.sleep(forTimeInterval: 0.0001) }
                    handle.cancel()
                    wasCancelled.resolve(.success(task.isCancelled))
                    return task
                },
                {
                    hasBegun.resolve(.success(()))
                    while !Task.isCancelled { await Task.yield() }
                })
        }
        #expect(try await wasCancelled.value())
    }

    @Test("No cancellation is lost, whatever the threads do")
    func races() async throws {
        for seed: UInt64 in 0..<100 {
            try await Interleaving(seed: seed).run { environment in
                let handle = TaskHandle()
                let isCancelled = SharedOneShot<Bool>()
                async let cancelling: Void = handle.cancel()
                handle.launch(environment.launch) {
                    // No code sets this result.
                    _ = try? await SharedOneShot<Void>().value()
                    isCancelled.resolve(.success(Task.isCancelled))
                }
                await cancelling
                let wasCancelled = try await isCancelled.value()
                #expect(wasCancelled)
            }
        }
    }
}
