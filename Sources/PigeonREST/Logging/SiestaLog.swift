internal import PigeonBase

/// What services do, as lines of text, by category.
///
/// ```swift
/// SiestaLog.Category.enabled = .common
/// SiestaLog.messageHandler = { category, message in logger.debug("\(category): \(message)") }
/// ```
///
/// Nothing is logged by default. Messages hold no header values, no bodies, no queries and no credentials. Every event of
/// an engine's resources, with its cause, is in `QueryClient.events` too.
public enum SiestaLog {
    /// What a message is about.
    public enum Category: String, Sendable, CaseIterable {
        /// Requests that begin and end.
        case network
        /// More about each request.
        case networkDetails
        /// What transformers do.
        case pipeline
        /// What becomes of resources.
        case stateChanges
        /// Who observes what.
        case observers
        /// Why something is loaded, or is not.
        case staleness
        /// What persistent caches hold and are told.
        case cache
        /// Which configuration applies.
        case configuration

        /// The categories that are logged. None by default.
        public static var enabled: Set<Category> {
            get { SiestaLog.settings.withLock { $0.enabled } }
            set {
                SiestaLog.settings.withLock { settings in
                    settings.enabled = newValue
                    SiestaLog.isOn.set(newValue.isEmpty ? 0 : 1)
                }
            }
        }

        /// Requests, what becomes of resources, and why they are loaded.
        public static let common: Set<Category> = [.network, .stateChanges, .staleness]
        /// Everything but the details of requests.
        public static let detailed: Set<Category> = all.subtracting([.networkDetails])
        /// Everything.
        public static let all = Set(allCases)
    }

    fileprivate struct Settings {
        var enabled: Set<Category> = []
        var handler: @Sendable (Category, String) -> Void = { print("Siesta:\($0.rawValue) │ \($1)") }
    }

    fileprivate static let settings = Locked(Settings())
    /// 1 if a category is enabled. A log that is off costs one atomic read a message.
    fileprivate static let isOn = AtomicNumber()

    /// Takes the messages, on any thread. By default they are printed.
    public static var messageHandler: @Sendable (Category, String) -> Void {
        get { settings.withLock { $0.handler } }
        set {
            let old = settings.withLock { settings in
                defer { settings.handler = newValue }
                return settings.handler
            }
            _ = old  // let go outside of the lock
        }
    }

    /// Logs a message, if its category is.
    public static func log(_ category: Category, _ message: @autoclosure () -> String) {
        guard isOn.value != 0 else { return }
        let handler = settings.withLock { $0.enabled.contains(category) ? $0.handler : nil }
        handler?(category, message())
    }

    /// Logs a message made of parts, with a space between them, if its category is enabled.
    public static func log(_ category: Category, _ messageParts: @autoclosure () -> [Any?]) {
        log(category, messageParts().map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " "))
    }
}

extension Set where Element == SiestaLog.Category {
    /// Requests, what becomes of resources, and why they are loaded.
    public static let common = SiestaLog.Category.common
    /// Everything but the details of requests.
    public static let detailed = SiestaLog.Category.detailed
    /// Everything.
    public static let all = SiestaLog.Category.all
}
