internal import Foundation
internal import PigeonCore

/// Threads that run the jobs of tasks, one at a time. The seed decides which thread continues at each lock, and when a
/// job ends.
///
/// A lock of Foundation guards its state, because ``Locked`` itself calls this class.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SeededThreads: TaskExecutor, @unchecked Sendable {  // `state` is touched only under `lock`
    private static let threadCount = 4
    private static let longestRun = 10_000_000

    private final class Worker: @unchecked Sendable {  // set by the thread that passes the turn, before it does so
        let turn = DispatchSemaphore(value: 0)
        var job: (@Sendable () -> Void)?
    }

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var idle: [Worker] = []
        /// Threads that are about to take a lock.
        var suspended: [Worker] = []
        /// True if a thread has the turn.
        var isRunning = false
        var hasEnded = false
        var turns = 0
    }

    private let seed: UInt64
    private let clock = ManualClock()
    private let random: SeededRandom
    /// The average number of locks after which another thread continues.
    private let patience: Int
    private let lock = NSLock()
    private var state = State()
    /// Signalled when no thread can continue.
    private let quiet = DispatchSemaphore(value: 0)

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        patience = [2, 5, 20][random.below(3)]
    }

    func makeEnvironment() -> QueryEnvironment {
        let (clock, random) = (clock, SeededRandom(seed: ~seed))
        return QueryEnvironment(
            clock: clock, wallClock: { clock.date }, random: { random.next() },
            launch: { [weak self] in self?.launch($0) ?? Task {} })
    }

    // MARK: Running

    /// Runs the code, and the work that it leaves running, until no thread can continue.
    ///
    /// - Returns: The reason why the code did not end. `nil` if it ended.
    func run(_ body: @escaping @Sendable () async -> Void) async -> String? {
        for _ in 0..<Self.threadCount { begin() }
        Task(executorPreference: self) { [self] in
            await body()
            lock.withLock { state.hasEnded = true }
        }
        return await withCheckedContinuation { continuation in
            Thread { [self] in continuation.resume(returning: conduct()) }.start()
        }
    }

    /// Advances the time whenever no thread can continue, until the code has ended.
    private func conduct() -> String? {
        defer { endThreads() }
        while quiet.wait(timeout: .now() + 60) == .success {
            let (hasEnded, turns) = lock.withLock { (state.hasEnded, state.turns) }
            if hasEnded { return nil }
            if turns >= Self.longestRun { return "it went on after \(turns) turns" }
            // Code on another thread may still add jobs.
            if clock.alarmCount > 0 {
                add { [clock] in clock.fireNext() }
            } else if !waitForOthers() {
                return "all that is left waits"
            }
        }
        return "a thread has blocked for a minute"
    }

    /// - Returns: True if a thread outside the interleaving has added a job in the meantime.
    private func waitForOthers() -> Bool {
        guard quiet.wait(timeout: .now() + 1) == .success else { return lock.withLock { state.isRunning } }
        quiet.signal()
        return true
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func add(_ job: @escaping @Sendable () -> Void) {
        let next = lock.withLock { () -> Worker? in
            state.jobs.append(job)
            guard !state.isRunning else { return nil }
            state.isRunning = true
            return choose()
        }
        next?.turn.signal()
    }

    // MARK: Threads

    private func begin() {
        let worker = Worker()
        lock.withLock { state.idle.append(worker) }
        let thread = Thread { [self] in
            let follower = _LockPoints.Follower { [unowned self] in mayYield(worker) }
            while true {
                worker.turn.wait()
                guard let job = worker.job else { return }
                worker.job = nil
                _LockPoints.follow(follower) { job() }
                rest(worker)
            }
        }
        thread.stackSize = 4 << 20
        thread.start()
    }

    /// Handles a thread that is about to take a lock: may pass the turn to another thread.
    private func mayYield(_ worker: Worker) {
        guard random.once(in: patience) else { return }
        let next = lock.withLock { () -> Worker? in
            guard state.turns < Self.longestRun else { return worker }
            state.suspended.append(worker)
            return choose()
        }
        guard next !== worker else { return }
        next?.turn.signal()
        worker.turn.wait()
    }

    /// Handles a thread that has ended its job: passes the turn to another thread.
    private func rest(_ worker: Worker) {
        let next = lock.withLock { () -> Worker? in
            state.idle.append(worker)
            if state.turns < Self.longestRun, let next = choose() { return next }
            state.isRunning = false
            return nil
        }
        if let next { next.turn.signal() } else { quiet.signal() }
    }

    /// Chooses one of the threads that can continue. Called under the lock, on a thread that is not followed or holds a
    /// lock.
    private func choose() -> Worker? {
        state.turns += 1
        let startable = state.idle.isEmpty ? 0 : state.jobs.count
        let index = random.below(state.suspended.count + startable)
        if index < state.suspended.count { return state.suspended.remove(at: index) }
        guard startable > 0, let worker = state.idle.popLast() else { return nil }
        worker.job = state.jobs.remove(at: index - state.suspended.count)
        return worker
    }

    /// Ends the idle threads. Threads that wait for a turn stay suspended, with everything that they retain.
    private func endThreads() {
        let idle = lock.withLock {
            defer { state.idle = [] }
            return state.idle
        }
        for worker in idle { worker.turn.signal() }
    }
}
