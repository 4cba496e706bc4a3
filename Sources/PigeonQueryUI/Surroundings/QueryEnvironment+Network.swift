#if canImport(Network)
    internal import Dispatch
    internal import Foundation
    package import Network
    package import PigeonCore

    extension QueryEnvironment {
        /// Sets ``/PigeonCore/QueryEnvironment/connectivity`` from the system, until the subscription ends.
        ///
        /// A path that requires a connection first, such as a VPN on demand, counts as online, because a request
        /// establishes it. watchOS always counts as online, because its path monitor does not report the network.
        func followsNetwork() -> QuerySubscription {
            #if os(watchOS)
                // For most apps, its path monitor never reports a satisfied path, although requests succeed.
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
