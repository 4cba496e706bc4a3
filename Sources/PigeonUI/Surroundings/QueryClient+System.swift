#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    public import PigeonCore
    internal import UIKit

    extension QueryClient {
        /// Connects the client to the system's state of the network, the foreground and memory pressure, until the
        /// subscription ends. Use it in programs without SwiftUI, or in programs that host SwiftUI views in
        /// controllers. Other programs use `View.queryClient(_:)`.
        ///
        /// ```swift
        /// let system = QueryClient.shared.followsSystem()   // kept by the application's delegate
        /// ```
        @MainActor
        public func followsSystem() -> QuerySubscription {
            let (center, environment) = (NotificationCenter.default, environment)
            let subscriptions = [
                environment.followsNetwork(), environment.followsMemory(),
                center.subscription(to: UIApplication.didEnterBackgroundNotification) {
                    environment.activity.set(false)
                },
                center.subscription(to: UIApplication.willEnterForegroundNotification) {
                    environment.activity.set(true)
                },
            ]
            return QuerySubscription { for subscription in subscriptions { subscription.cancel() } }
        }
    }

    extension QueryEnvironment {
        /// Turns ``memoryPressure`` on and off again whenever the system reports memory pressure, until the
        /// subscription ends.
        @MainActor
        func followsMemory() -> QuerySubscription {
            let memoryPressure = memoryPressure
            return NotificationCenter.default.subscription(to: UIApplication.didReceiveMemoryWarningNotification) {
                memoryPressure.set(true)
                memoryPressure.set(false)
            }
        }
    }

    extension NotificationCenter {
        fileprivate func subscription(
            to name: Notification.Name, _ action: @escaping @Sendable () -> Void
        ) -> QuerySubscription {
            let token = addObserver(forName: name, object: nil, queue: nil) { _ in action() }
            nonisolated(unsafe) let observer = token  // passed only to the notification center, which locks itself
            return QuerySubscription { self.removeObserver(observer) }
        }
    }
#endif
