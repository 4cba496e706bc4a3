public import Dispatch
public import Foundation

// Classes of Objective-C that say nothing about `Sendable`. The module is compiled in Swift 5 mode, as the compiler takes the real one
// for code that was written before it checked that.

/// Stands for `BackgroundTasks.BGTask`. Not `Sendable`, although its functions can be called from any thread.
@available(iOS 13.0, tvOS 13.0, watchOS 26.0, *)
@available(macOS, unavailable)
open class BGTask: NSObject {
    /// Stands for `BGTask.identifier`.
    public let identifier: String
    /// Stands for `BGTask.expirationHandler`. The real one is called shortly before the time is up.
    open var expirationHandler: (() -> Void)?
    private let lock = NSLock()
    private var reported: Bool?

    /// The success that was reported, once it was.
    package var success: Bool? { lock.withLock { reported } }

    init(identifier: String) {
        self.identifier = identifier
    }

    /// Stands for `BGTask.setTaskCompleted(success:)`.
    open func setTaskCompleted(success: Bool) {
        lock.withLock { reported = success }
    }
}

/// Stands for `BackgroundTasks.BGAppRefreshTask`.
@available(iOS 13.0, tvOS 13.0, watchOS 26.0, *)
@available(macOS, unavailable)
open class BGAppRefreshTask: BGTask {}

/// Stands for `BackgroundTasks.BGTaskRequest`.
@available(iOS 13.0, tvOS 13.0, watchOS 26.0, *)
@available(macOS, unavailable)
open class BGTaskRequest: NSObject {
    /// Stands for `BGTaskRequest.identifier`.
    public let identifier: String
    /// Stands for `BGTaskRequest.earliestBeginDate`.
    open var earliestBeginDate: Date?

    fileprivate init(named identifier: String) {
        self.identifier = identifier
    }
}

/// Stands for `BackgroundTasks.BGAppRefreshTaskRequest`.
@available(iOS 13.0, tvOS 13.0, watchOS 26.0, *)
@available(macOS, unavailable)
open class BGAppRefreshTaskRequest: BGTaskRequest {
    /// Stands for `BGAppRefreshTaskRequest.init(identifier:)`.
    public init(identifier: String) {
        super.init(named: identifier)
    }
}

/// Stands for `BackgroundTasks.BGTaskScheduler`. Launches what a test launches.
@available(iOS 13.0, tvOS 13.0, watchOS 26.0, *)
@available(macOS, unavailable)
open class BGTaskScheduler: NSObject {
    /// Stands for `BGTaskScheduler.shared`.
    open class var shared: BGTaskScheduler { theOnlyOne }
    nonisolated(unsafe) private static let theOnlyOne = BGTaskScheduler()  // the lock guards its variables

    private let lock = NSLock()
    private var submitted: [String] = []
    private var handlers: [String: (BGTask) -> Void] = [:]

    /// The identifiers of all requests so far.
    package var identifiers: [String] { lock.withLock { submitted } }

    /// Stands for `BGTaskScheduler.submit(_:)`.
    open func submit(_ taskRequest: BGTaskRequest) throws {
        lock.withLock { submitted.append(taskRequest.identifier) }
    }

    /// Stands for `BGTaskScheduler.register(forTaskWithIdentifier:using:launchHandler:)`.
    @discardableResult
    open func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        lock.withLock { handlers.updateValue(launchHandler, forKey: identifier) == nil }
    }

    /// Launches a task, as the system does.
    package func launch(_ identifier: String) -> BGAppRefreshTask {
        let task = BGAppRefreshTask(identifier: identifier)
        lock.withLock { handlers[identifier] }?(task)
        return task
    }
}
