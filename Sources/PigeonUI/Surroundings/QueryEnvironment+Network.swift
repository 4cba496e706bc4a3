#if canImport(Network)
    internal import Dispatch
    internal import Foundation
    package import Network
    public import PigeonCore

    extension QueryEnvironment {
        /// Sets ``/PigeonCore/QueryEnvironment/connectivity`` from the system, until the subscription ends.
        ///
        /// A path that needs a connection to be made first, such as a VPN on demand, counts as a network: asking makes it.
        /// A watch does not say how its network is: there it counts as being there.
        public func followsNetwork() -> QuerySubscription {
            #if os(watchOS)
                // To most apps its paths are never open, while requests get through.
                QuerySubscription {}
            #else
                follows(NWPathMonitor())
            #endif
        }

        package func follows(_ monitor: NWPathMonitor) -> QuerySubscription {
            monitor.pathUpdateHandler = { [connectivity] path in
                connectivity.set(path.status != .unsatisfied)
            }
            monitor.start(queue: DispatchQueue(label: "Pigeon.network"))
            return QuerySubscription { monitor.cancel() }
        }
    }
#endif
