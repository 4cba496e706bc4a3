public import Foundation

/// Stands for `SwiftUI.AppStorage`. Notices only values that are set with an `AppStorage`.
@propertyWrapper
public struct AppStorage<Value>: DynamicProperty {
    @Environment(\.appStorage) private var inherited
    private let key: String
    private let store: UserDefaults?
    private let initial: Value
    private let decode: (Any) -> Value?
    private let encode: (Value) -> Any

    private init(
        _ initial: Value, _ key: String, _ store: UserDefaults?, decode: @escaping (Any) -> Value?,
        encode: @escaping (Value) -> Any
    ) {
        self.initial = initial
        self.key = key
        self.store = store
        self.decode = decode
        self.encode = encode
    }

    /// Stands for `AppStorage.wrappedValue`.
    public var wrappedValue: Value {
        get {
            _ = settings.value  // what is under evaluation depends on all settings from now on
            return (store ?? inherited).object(forKey: key).flatMap(decode) ?? initial
        }
        nonmutating set {
            (store ?? inherited).set(encode(newValue), forKey: key)
            settings.value += 1
        }
    }

    /// Stands for `AppStorage.projectedValue`.
    public var projectedValue: Binding<Value> {
        Binding(read: { wrappedValue }, write: { value, _ in wrappedValue = value })
    }
}

/// Changes whenever a value is set.
private let settings = StateLocation(0)

extension AppStorage where Value == Bool {
    /// Stands for `AppStorage.init(wrappedValue:_:store:)` of a switch.
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
        self.init(wrappedValue, key, store, decode: { $0 as? Bool }, encode: { $0 })
    }
}

extension AppStorage where Value == String {
    /// Stands for `AppStorage.init(wrappedValue:_:store:)` of a text.
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
        self.init(wrappedValue, key, store, decode: { $0 as? String }, encode: { $0 })
    }
}

extension AppStorage where Value: RawRepresentable, Value.RawValue == String {
    /// Stands for `AppStorage.init(wrappedValue:_:store:)` of a value with a text.
    public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) {
        self.init(
            wrappedValue, key, store, decode: { ($0 as? String).flatMap { Value(rawValue: $0) } },
            encode: { $0.rawValue })
    }
}

extension View {
    /// Stands for `View.defaultAppStorage(_:)`.
    public func defaultAppStorage(_ store: UserDefaults) -> some View {
        inEnvironment { $0.appStorage = store }
    }
}

extension EnvironmentValues {
    fileprivate var appStorage: UserDefaults {
        get { self[AppStorageKey.self] }
        set { self[AppStorageKey.self] = newValue }
    }
}

private enum AppStorageKey: EnvironmentKey {
    static var defaultValue: UserDefaults { .standard }
}
