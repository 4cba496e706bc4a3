internal import Foundation

extension NWPathMonitor {
    /// The network that monitors watch: what a test changes to go offline.
    package final class Home: @unchecked Sendable {  // protected by `lock`
        /// What monitors watch that are made as in an app.
        package static let everywhere = Home()

        private let lock = NSLock()
        private var current: NWPath
        private var monitors: [Weak] = []

        private struct Weak {
            weak var monitor: NWPathMonitor?
        }

        /// Creates a network that is there, unless told otherwise.
        package init(_ status: NWPath.Status = .satisfied) {
            current = NWPath(status)
        }

        /// What monitors made from now on begin with. Setting it tells those that there are.
        package var path: NWPath {
            get { lock.withLock { current } }
            set {
                let told = lock.withLock {
                    current = newValue
                    return monitors.compactMap(\.monitor)
                }
                for monitor in told { monitor.setPath(newValue) }
            }
        }

        /// The monitors that there are.
        package var watching: [NWPathMonitor] {
            lock.withLock { monitors.compactMap(\.monitor) }
        }

        func add(_ monitor: NWPathMonitor) {
            lock.withLock {
                monitors.removeAll { $0.monitor == nil }
                monitors.append(Weak(monitor: monitor))
            }
        }
    }
}
