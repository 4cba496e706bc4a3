/// Stands for `UIKit.UIApplication`.
@MainActor
open class UIApplication: UIResponder {
    /// Stands for `UIApplication.State`.
    public enum State: Int, Sendable {
        /// Stands for `State.active`.
        case active
        /// Stands for `State.inactive`.
        case inactive
        /// Stands for `State.background`.
        case background
    }

    /// Stands for `UIApplication.shared`.
    open class var shared: UIApplication { theOnlyOne }
    private static let theOnlyOne = UIApplication()

    /// Stands for `UIApplication.applicationState`.
    open private(set) var applicationState = State.active

    /// Stands for `UIApplication.didBecomeActiveNotification`.
    public nonisolated class var didBecomeActiveNotification: Notification.Name {
        Notification.Name("UIApplicationDidBecomeActiveNotification")
    }

    /// Stands for `UIApplication.willResignActiveNotification`.
    public nonisolated class var willResignActiveNotification: Notification.Name {
        Notification.Name("UIApplicationWillResignActiveNotification")
    }

    /// Stands for `UIApplication.didEnterBackgroundNotification`.
    public nonisolated class var didEnterBackgroundNotification: Notification.Name {
        Notification.Name("UIApplicationDidEnterBackgroundNotification")
    }

    /// Stands for `UIApplication.willEnterForegroundNotification`.
    public nonisolated class var willEnterForegroundNotification: Notification.Name {
        Notification.Name("UIApplicationWillEnterForegroundNotification")
    }

    /// Stands for `UIApplication.willTerminateNotification`.
    public nonisolated class var willTerminateNotification: Notification.Name {
        Notification.Name("UIApplicationWillTerminateNotification")
    }

    /// Stands for `UIApplication.didReceiveMemoryWarningNotification`.
    public nonisolated class var didReceiveMemoryWarningNotification: Notification.Name {
        Notification.Name("UIApplicationDidReceiveMemoryWarningNotification")
    }

    /// What the system does: tells all of the new state.
    package func move(to state: State) {
        let old = applicationState
        applicationState = state
        let told: [Notification.Name] =
            switch (old, state) {
            case (.background, .active): [Self.willEnterForegroundNotification, Self.didBecomeActiveNotification]
            case (.background, .inactive): [Self.willEnterForegroundNotification]
            case (_, .active): [Self.didBecomeActiveNotification]
            case (.active, .inactive): [Self.willResignActiveNotification]
            case (.active, .background): [Self.willResignActiveNotification, Self.didEnterBackgroundNotification]
            case (.inactive, .background): [Self.didEnterBackgroundNotification]
            default: []
            }
        for name in told { NotificationCenter.default.post(name: name, object: self) }
    }
}
