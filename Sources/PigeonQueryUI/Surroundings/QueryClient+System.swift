#if canImport(UIKit) || canImport(AppKit)
    internal import Foundation
    public import PigeonCore
    #if os(watchOS)
        internal import WatchKit
    #elseif canImport(UIKit)
        internal import UIKit
    #else
        internal import AppKit
    #endif

    extension QueryClient {
        /// Connects the client to the system's state of the network, the foreground and memory pressure, until the
        /// subscription ends. Use it in programs without SwiftUI, or in programs that host SwiftUI views in
        /// controllers. Other programs use `View.queryClient(_:)`.
        ///
        /// ```swift
        /// let system = QueryClient.shared.followsSystem()   // kept by the application's delegate
        /// ```
        ///
        /// On a Mac, a program is in the foreground while it is the active one. A query that must poll while the user
        /// works in another program sets ``/PigeonCore/QueryOptions/pollsInBackground``. The system reports memory
        /// pressure on platforms with UIKit only.
        @MainActor
        public func followsSystem() -> QuerySubscription {
            var subscriptions = [environment.followsNetwork(), environment.followsApplication()]
            #if canImport(UIKit) && !os(watchOS)
                subscriptions.append(environment.followsMemory())
            #endif
            return QuerySubscription { [subscriptions] in
                for subscription in subscriptions { subscription.cancel() }
            }
        }
    }

    extension QueryEnvironment {
        /// Sets ``activity`` when the program leaves the foreground and returns to it, until the subscription ends. Also
        /// turns it off now if the program runs in the background, as when the system has launched it there.
        @MainActor
        func followsApplication() -> QuerySubscription {
            // When the user launches the program, it may still be in the background here, and becomes active soon.
            #if os(watchOS)
                let leaving = WKApplication.didEnterBackgroundNotification
                let returning = [
                    WKApplication.willEnterForegroundNotification, WKApplication.didBecomeActiveNotification,
                ]
                if WKApplication.shared().applicationState == .background { activity.set(false) }
            #elseif canImport(UIKit)
                let leaving = UIApplication.didEnterBackgroundNotification
                let returning = [
                    UIApplication.willEnterForegroundNotification, UIApplication.didBecomeActiveNotification,
                ]
                if UIApplication.current?.applicationState == .background { activity.set(false) }
            #else
                let leaving = NSApplication.didResignActiveNotification
                // Every program is inactive at its launch, so its state then says nothing.
                let returning = [NSApplication.didBecomeActiveNotification]
            #endif
            let (center, activity) = (NotificationCenter.default, activity)
            let subscriptions =
                [center.subscription(to: leaving) { activity.set(false) }]
                + returning.map { name in center.subscription(to: name) { activity.set(true) } }
            return QuerySubscription { for subscription in subscriptions { subscription.cancel() } }
        }

        #if canImport(UIKit) && !os(watchOS)
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
        #endif
    }

    #if canImport(UIKit) && !os(watchOS)
        extension UIApplication {
            /// The application. `nil` in an extension, where `shared` must not be named, even if it is never called.
            fileprivate static var current: UIApplication? {
                #if canImport(ObjectiveC)
                    let selector = NSSelectorFromString("sharedApplication")
                    guard UIApplication.responds(to: selector) else { return nil }
                    return UIApplication.perform(selector)?.takeUnretainedValue() as? UIApplication
                #else
                    return shared
                #endif
            }
        }
    #endif

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
