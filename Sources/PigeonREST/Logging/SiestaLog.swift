internal import PigeonBase

/// Logs the activity of services as lines of text, by category.
///
/// ```swift
/// SiestaLog.Category.enabled = .common
/// SiestaLog.messageHandler = { category, message in logger.debug("\(category): \(message)") }
/// ```
///
/// By default, nothing is logged. Messages contain no header values, bodies, queries or credentials.
/// `QueryClient.events` also contains every event of the resources, with its cause.
public enum SiestaLog {
    /// The category of a message.
    public enum Category: String, Sendable, CaseIterable {
        /// The start and end of requests.
        case network
        /// Details of each request.
        case networkDetails
        /// The processing of responses by transformers.
        case pipeline
        /// State changes of resources.
        case stateChanges
        /// The addition and removal of observers.
        case observers
        /// The reasons for loading a resource, or for not loading it.
        case staleness
        /// Reads and writes of persistent caches.
        case cache
        /// The reevaluation of configurations, and their application to resources.
        case configuration

        /// The categories that are logged. Empty by default.
        public static var enabled: Set<Category> {
            get { SiestaLog.settings.withLock { $0.enabled } }
            set {
                SiestaLog.settings.withLock { settings in
                    settings.enabled = newValue
                    SiestaLog.isOn.set(newValue.isEmpty ? 0 : 1)
                }
            }
        }

        /// Requests, state changes of resources, and the reasons for loads.
        public static let common: Set<Category> = [.network, .stateChanges, .staleness]
        /// All categories except the details of requests.
        public static let detailed: Set<Category> = all.subtracting([.networkDetails])
        /// All categories.
        public static let all = Set(allCases)
    }

    fileprivate struct Settings {
        var enabled: Set<Category> = []
        var handler: @Sendable (Category, String) -> Void = { print("Siesta:\($0.rawValue) │ \($1)") }
    }

    fileprivate static let settings = Locked(Settings())
    /// 1 if any category is enabled, otherwise 0. While no category is enabled, a message costs only one atomic read.
    fileprivate static let isOn = AtomicNumber()

    /// Receives the messages, on any thread. The default prints them.
    public static var messageHandler: @Sendable (Category, String) -> Void {
        get { settings.withLock { $0.handler } }
        set {
            let old = settings.withLock { settings in
                defer { settings.handler = newValue }
                return settings.handler
            }
            _ = old  // released outside the lock
        }
    }

    /// Logs a message, if its category is enabled.
    public static func log(_ category: Category, _ message: @autoclosure () -> String) {
        guard isOn.value != 0 else { return }
        let handler = settings.withLock { $0.enabled.contains(category) ? $0.handler : nil }
        handler?(category, message())
    }

    /// Logs a message that consists of parts, separated by spaces, if its category is enabled.
    public static func log(_ category: Category, _ messageParts: @autoclosure () -> [Any?]) {
        log(category, messageParts().map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " "))
    }
}

extension Set where Element == SiestaLog.Category {
    /// Requests, state changes of resources, and the reasons for loads.
    public static let common = SiestaLog.Category.common
    /// All categories except the details of requests.
    public static let detailed = SiestaLog.Category.detailed
    /// All categories.
    public static let all = SiestaLog.Category.all
}
