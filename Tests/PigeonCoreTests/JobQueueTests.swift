import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("A queue of jobs", .timeLimit(.minutes(1)))
struct JobQueueTests {
    private let lab = QueryLab()
    private let queue = JobQueue()
    private let log = Recorder<String>()

    private func add(_ name: String) {
        queue.add { [log] in log.append(name) }
    }

    /// Adds a job that suspends until the gate is opened.
    private func addHeld(_ name: String) -> Gate {
        let gate = Gate()
        queue.add { [log] in
            log.append("\(name) begins")
            await gate.wait()
            log.append("\(name) ends")
        }
        return gate
    }

    private func run() {
        queue.run(lab.environment.launch)
        lab.settle()
    }

    private func open(_ gate: Gate) {
        gate.open()
        lab.settle()
    }

    // MARK: Jobs

    @Test("Jobs run in the order in which they were added, and not before the queue is run")
    func order() {
        for name in ["a", "b", "c"] { add(name) }
        #expect(log.all == [])
        run()
        #expect(log.all == ["a", "b", "c"])
        add("d")
        run()
        #expect(log.all == ["a", "b", "c", "d"])
    }

    @Test("A job that suspends holds the next one until it has ended")
    func suspension() {
        let gate = addHeld("a")
        add("b")
        run()
        #expect(log.all == ["a begins"])
        open(gate)
        #expect(log.all == ["a begins", "a ends", "b"])
    }

    @Test("A job that hangs blocks only its own queue")
    func hangingJob() {
        let gate = addHeld("a")
        run()
        let other = JobQueue()
        other.add { [log] in log.append("other") }
        other.run(lab.environment.launch)
        lab.settle()
        #expect(log.all == ["a begins", "other"])
        open(gate)
    }

    @Test("Jobs that are added while one runs come after those that were added before")
    func addedMeanwhile() {
        let gate = addHeld("a")
        add("b")
        run()
        add("c")
        run()
        #expect(log.all == ["a begins"])
        open(gate)
        #expect(log.all == ["a begins", "a ends", "b", "c"])
    }

    @Test("A job that a job adds comes after those that were added before, without another run")
    func addedByJob() {
        queue.add { [queue, log] in
            log.append("a")
            queue.add { log.append("c") }
        }
        add("b")
        run()
        #expect(log.all == ["a", "b", "c"])
    }

    // MARK: Callers that wait

    @Test("A caller receives the result of its job, which runs after earlier ones")
    func result() {
        let gate = addHeld("a")
        let task = lab.start { [queue, lab, log] in
            await queue.perform(lab.environment.launch) {
                log.append("b")
                return 7
            }
        }
        #expect(task.result == nil)
        #expect(log.all == ["a begins"])
        open(gate)
        #expect(task.value == 7)
        #expect(log.all == ["a begins", "a ends", "b"])
    }

    @Test("A caller that is cancelled still waits, and its job does not notice")
    func cancelledCaller() {
        let gate = addHeld("a")
        let task = lab.start { [queue, lab] in await queue.perform(lab.environment.launch) { Task.isCancelled } }
        task.cancel()
        #expect(task.result == nil)
        open(gate)
        #expect(task.value == false)
    }

    // MARK: Work that does not suspend

    @Test("Jobs that are added during work that does not suspend run after it")
    func reservation() {
        #expect(queue.enter())
        #expect(!queue.enter())
        add("a")
        add("b")
        run()
        #expect(log.all == [])
        queue.leave(lab.environment.launch)
        lab.settle()
        #expect(log.all == ["a", "b"])
    }

    @Test("Work that does not suspend cannot begin while a job waits or runs")
    func reservationOfBusyQueue() {
        let gate = addHeld("a")
        #expect(!queue.enter())
        run()
        #expect(!queue.enter())
        open(gate)
        #expect(queue.enter())
        queue.leave(lab.environment.launch)
        #expect(queue.enter())
        queue.leave(lab.environment.launch)
        add("b")
        run()
        #expect(log.all == ["a begins", "a ends", "b"])
    }

    // MARK: Stack and memory

    @Test("10,000 jobs that do not suspend run without recursion")
    func manyJobs() {
        for number in 0..<10_000 { add("\(number)") }
        run()
        #expect(log.all == (0..<10_000).map { "\($0)" })
    }

    @Test("10,000 jobs, each of which adds the next one and runs the queue, run without recursion")
    func chainOfJobs() {
        let chain = Chain(length: 10_000, in: queue, lab.environment.launch)
        chain.addJob()
        run()
        #expect(chain.remaining == 0)
    }

    @Test("A queue is freed when its last job has ended, and not before")
    func lifetime() {
        weak var queue: JobQueue?
        let gate = Gate()
        do {
            let made = JobQueue()
            queue = made
            made.add { await gate.wait() }
            made.add { [log] in log.append("last") }
            made.run(lab.environment.launch)
        }
        #expect(queue != nil)
        open(gate)
        #expect(log.all == ["last"])
        #expect(queue == nil)
    }

    @Test("A queue that is never run is freed, with its jobs")
    func lifetimeOfJobs() {
        weak var queue: JobQueue?
        weak var captured: Recorder<String>?
        do {
            let (made, log) = (JobQueue(), Recorder<String>())
            (queue, captured) = (made, log)
            made.add { log.append("never") }
        }
        #expect(queue == nil)
        #expect(captured == nil)
    }

    // MARK: Threads

    @Test("Whatever the threads do, one job runs at a time, and the jobs of each thread run in order")
    func races() async throws {
        for seed: UInt64 in 0..<100 {
            try await Interleaving(seed: seed).run { environment in
                let (queue, log) = (JobQueue(), Recorder<Int>())
                await withTaskGroup(of: Void.self) { group in
                    for thread in 0..<3 {
                        group.addTask { await Self.use(queue, log, thread, environment) }
                    }
                }
                // Each job notes its number at its beginning and at its end.
                let noted = log.all
                try #require(noted.count == 36)
                #expect(stride(from: 0, to: 36, by: 2).allSatisfy { noted[$0] == noted[$0 + 1] }, "\(noted)")
                for thread in 0..<3 {
                    let own = noted.filter { $0 / 10 == thread }
                    #expect(own == own.sorted())
                }
            }
        }
    }

    private static func use(
        _ queue: JobQueue, _ log: Recorder<Int>, _ thread: Int, _ environment: QueryEnvironment
    ) async {
        for number in 10 * thread..<10 * thread + 6 {
            if number.isMultiple(of: 2), queue.enter() {
                log.append(number)
                log.append(number)
                queue.leave(environment.launch)
            } else {
                queue.add {
                    log.append(number)
                    await Task.yield()
                    log.append(number)
                }
                queue.run(environment.launch)
            }
        }
        await queue.perform(environment.launch) {}
    }
}

/// Jobs, each of which adds the next one and runs the queue.
private final class Chain: Sendable {
    private let left: Locked<Int>
    private let queue: JobQueue
    private let launch: QueryEnvironment.Launch

    init(length: Int, in queue: JobQueue, _ launch: @escaping QueryEnvironment.Launch) {
        left = Locked(length)
        self.queue = queue
        self.launch = launch
    }

    var remaining: Int { left.withLock { $0 } }

    func addJob() {
        queue.add { [self] in
            let hasNext = left.withLock { left in
                left -= 1
                return left > 0
            }
            guard hasNext else { return }
            addJob()
            queue.run(launch)
        }
    }
}
