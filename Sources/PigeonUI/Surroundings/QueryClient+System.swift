#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    public import PigeonCore
    internal import UIKit

    extension QueryClient {
        /// Tells the client of the system until the subscription ends: the network, the foreground, and that memory is short.
        /// For programs without SwiftUI, and those that host its views in controllers; others say `View.queryClient(_:)`.
        ///
        /// ```swift
        /// let system = QueryClient.shared.followsSystem()   // kept by the application's delegate
        /// ```
        @MainActor
        public func followsSystem() -> QuerySubscription {
            let center = NotificationCenter.default
            let environment = environment
            let network = environment.followsNetwork()
            let tokens = [
                center.addObserver(
                    forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
                ) { _ in environment.activity.set(false) },
                center.addObserver(
                    forName: UIApplication.willEnterForegroundNotification, object: nil, queue: nil
                ) { _ in environment.activity.set(true) },
            ]
            let memory = environment.followsMemory()
            nonisolated(unsafe) let observers = tokens  // handed to the centre alone, which locks itself
            return QuerySubscription {
                network.cancel()
                memory.cancel()
                for observer in observers { center.removeObserver(observer) }
            }
        }
    }

    extension QueryEnvironment {
        /// Sets ``memoryPressure`` for a moment whenever the system says that memory is short, until the subscription ends.
        @MainActor
        func followsMemory() -> QuerySubscription {
            let (center, memoryPressure) = (NotificationCenter.default, memoryPressure)
            let token = center.addObserver(
                forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
            ) { _ in
                memoryPressure.set(true)
                memoryPressure.set(false)
            }
            nonisolated(unsafe) let observer = token  // handed to the centre alone, which locks itself
            return QuerySubscription { center.removeObserver(observer) }
        }
    }
#endif
