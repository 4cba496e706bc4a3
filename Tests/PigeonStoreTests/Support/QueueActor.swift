import Dispatch

/// An actor that can detect whether code runs on it.
actor QueueActor {
    private static let key = DispatchSpecificKey<Bool>()

    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "actor")

        init() {
            queue.setSpecific(key: QueueActor.key, value: true)
        }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func run<Result: Sendable>(_ work: @Sendable (isolated QueueActor) async -> Result) async -> Result {
        await work(self)
    }
}
