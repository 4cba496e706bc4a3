import Synchronization

/// A value of the environment that a body may have read.
struct EnvironmentRead {
    private let stamps: [ObjectIdentifier: Int]
    private let hasSameValue: (EnvironmentValues) -> Bool

    /// True if the value is another one in `environment`.
    func isOutdated(in environment: EnvironmentValues) -> Bool {
        stamps.contains { environment.stamp(of: $0.key) != $0.value } && !hasSameValue(environment)
    }

    /// Reads a value, and says on what it depends.
    static func read<Value>(
        from environment: EnvironmentValues, _ value: @escaping (EnvironmentValues) -> Value
    ) -> (value: Value, read: EnvironmentRead) {
        let log = EnvironmentLog()
        var logged = environment
        logged.log = log
        let result = value(logged)
        let stamps = Dictionary(uniqueKeysWithValues: log.keys.map { ($0, environment.stamp(of: $0)) })
        let read = EnvironmentRead(stamps: stamps) { areSame(result, value($0)) }
        return (result, read)
    }

    private static func areSame<Value>(_ one: Value, _ other: Value) -> Bool {
        if let one = one as? any Equatable { return one.isEqual(to: other) }
        guard Value.self is AnyObject.Type else { return false }
        return (one as AnyObject) === (other as AnyObject)
    }
}

extension Equatable {
    /// Compares with a value of a type that is not known here.
    func isEqual(to other: Any) -> Bool {
        guard let other = other as? Self else { return false }
        return self == other
    }
}

/// Numbers for settings.
enum EnvironmentStamps {
    private static let last = Mutex(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
