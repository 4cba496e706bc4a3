public import Dispatch
internal import Foundation

/// Stands for `Network.NWPathMonitor`.
///
/// Tells its handler of its path once it is started, on its queue, and of each path that a test gives it after that, until
/// it is cancelled.
public final class NWPathMonitor: @unchecked Sendable {  // protected by `lock`
    private let lock = NSLock()
    private var path: NWPath
    private var handler: (@Sendable (NWPath) -> Void)?
    private var startedOn: DispatchQueue?
    private var wasCancelled = false
    private var untold = 0
    private let home: Home

    /// Stands for `init()`.
    public convenience init() {
        self.init(in: .everywhere)
    }

    /// A monitor of a network of its own, for tests that run beside others.
    package init(in home: Home) {
        self.home = home
        path = home.path
        home.add(self)
    }

    /// Stands for `NWPathMonitor.currentPath`.
    public var currentPath: NWPath {
        lock.withLock { path }
    }

    /// Stands for `NWPathMonitor.pathUpdateHandler`.
    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    /// Stands for `NWPathMonitor.queue`.
    public var queue: DispatchQueue? {
        lock.withLock { startedOn }
    }

    /// Stands for `start(queue:)`.
    public func start(queue: DispatchQueue) {
        let isFirst = lock.withLock {
            guard startedOn == nil, !wasCancelled else { return false }
            startedOn = queue
            return true
        }
        if isFirst { tell() }
    }

    /// Stands for `cancel()`.
    public func cancel() {
        let old = lock.withLock {
            defer { handler = nil }
            wasCancelled = true
            return handler
        }
        _ = old  // freed after the lock is
    }

    /// True if it was cancelled. The real one does not tell.
    package var isCancelled: Bool {
        lock.withLock { wasCancelled }
    }

    /// Gives this monitor another path, for a test.
    package func setPath(_ newPath: NWPath) {
        let isNew = lock.withLock {
            defer { path = newPath }
            return path != newPath
        }
        if isNew { tell() }
    }

    /// True if its handler is still to be called. The real one does not tell.
    package var isTelling: Bool {
        lock.withLock { untold > 0 }
    }

    private func tell() {
        let queue = lock.withLock { () -> DispatchQueue? in
            guard !wasCancelled, let startedOn else { return nil }
            untold += 1
            return startedOn
        }
        queue?.async { self.call() }
    }

    private func call() {
        let (tell, newest) = lock.withLock { (wasCancelled ? nil : handler, path) }
        tell?(newest)
        lock.withLock { untold -= 1 }
    }
}
