/// Stands for `SwiftUI.EnvironmentKey`.
public protocol EnvironmentKey {
    /// Stands for `EnvironmentKey.Value`.
    associatedtype Value
    /// Stands for `EnvironmentKey.defaultValue`.
    static var defaultValue: Value { get }
}

/// Stands for `SwiftUI.EnvironmentValues`.
public struct EnvironmentValues: CustomStringConvertible {
    private struct Entry {
        let value: Any
        /// A number that no other setting has.
        let stamp: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Notes the keys that are read, while somebody wants to know.
    var log: EnvironmentLog?

    /// Stands for `EnvironmentValues.init()`.
    public init() {}

    /// Stands for the subscript of `EnvironmentValues` by key.
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get {
            log?.keys.insert(ObjectIdentifier(key))
            return entries[ObjectIdentifier(key)]?.value as? K.Value ?? K.defaultValue
        }
        set { set(newValue, for: ObjectIdentifier(key)) }
    }

    /// Stands for `EnvironmentValues.description`.
    public var description: String { "EnvironmentValues with \(entries.count) values" }

    /// An object that was put in by its type.
    func object<Object: AnyObject>(_ type: Object.Type) -> Object? {
        log?.keys.insert(ObjectIdentifier(type))
        return entries[ObjectIdentifier(type)]?.value as? Object
    }

    /// Puts in an object by its type, or takes it out.
    mutating func setObject<Object: AnyObject>(_ object: Object?) {
        guard let object else { return entries[ObjectIdentifier(Object.self)] = nil }
        set(object, for: ObjectIdentifier(Object.self))
    }

    /// Tells settings of a key apart; 0 as long as it has its default.
    func stamp(of key: ObjectIdentifier) -> Int { entries[key]?.stamp ?? 0 }

    private mutating func set(_ value: Any, for key: ObjectIdentifier) {
        entries[key] = Entry(value: value, stamp: EnvironmentStamps.next())
    }
}

/// The keys that were read.
final class EnvironmentLog {
    var keys: Set<ObjectIdentifier> = []
}
