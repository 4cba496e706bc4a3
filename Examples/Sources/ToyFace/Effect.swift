import Foundation
import PigeonCore

/// Runs a closure at once, and again whenever a signal that it has read changes, until the effect is released.
///
/// The closure runs on the thread that changes a signal, and never twice at the same time.
public func effect(_ body: @escaping @Sendable () -> Void) -> Effect {
    Effect(body)
}

/// Keeps a closure running. See ``effect(_:)``.
public final class Effect: @unchecked Sendable {  // its variables are used only under the lock
    @TaskLocal static var current: Effect?

    private let body: @Sendable () -> Void
    private let lock = NSLock()
    private var isRunning = false
    private var isDue = false
    /// The number of the newest run, and the subscriptions to the signals that it has read.
    private var run = 0
    private var reads: [QuerySubscription] = []

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        signalChanged(since: 0)
    }

    /// Reads a signal for the closure, and subscribes to it.
    func read<Value>(
        _ observer: QueryObserver<Value>, _ mark: @escaping @Sendable (Snapshot<Value>) -> Int
    ) -> Snapshot<Value> {
        let (run, snapshot) = (lock.withLock { self.run }, observer.snapshot)
        let seen = mark(snapshot)
        let subscription = observer.onChange { [weak self] newer in
            if mark(newer) != seen { self?.signalChanged(since: run) }
        }
        lock.withLock { reads.append(subscription) }
        // The signal may have changed before the subscription.
        if mark(observer.snapshot) != seen { signalChanged(since: run) }
        return snapshot
    }

    /// Runs the closure, unless it has been run again since the signal was read. If a thread is running the closure, that
    /// thread runs it again.
    private func signalChanged(since read: Int) {
        let mayBegin = lock.withLock {
            guard read == run else { return false }
            isDue = true
            defer { isRunning = true }
            return !isRunning
        }
        guard mayBegin else { return }
        while beginRun() { Effect.$current.withValue(self, operation: body) }
    }

    /// Begins the next run, if one is due.
    private func beginRun() -> Bool {
        var old: [QuerySubscription] = []  // released outside the lock
        return lock.withLock {
            guard isDue else {
                isRunning = false
                return false
            }
            (isDue, run) = (false, run + 1)
            swap(&old, &reads)
            return true
        }
    }
}
