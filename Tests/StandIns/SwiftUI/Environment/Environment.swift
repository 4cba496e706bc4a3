/// Stands for `SwiftUI.Environment`.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let read: (EnvironmentValues) -> Value
    private var value: Value?

    /// Stands for `Environment.init(_:)` with a key path.
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        read = { $0[keyPath: keyPath] }
    }

    /// Stands for `Environment.init(_:)` with the type of an observable object.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
        read = { environment in
            guard let object = environment.object(objectType) else {
                fatalError("No \(objectType) in the environment: environment(_:) must put it in above this view")
            }
            return object
        }
    }

    /// Stands for `Environment.init(_:)` with the type of an observable object that may be missing.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public init<Object: AnyObject>(_ objectType: Object.Type) where Object: Observable, Value == Object? {
        read = { $0.object(objectType) }
    }

    /// Stands for `Environment.wrappedValue`.
    public var wrappedValue: Value { value ?? read(EnvironmentValues()) }
}

extension Environment: @unchecked Sendable where Value: Sendable {}  // the key path is only read

extension Environment: Installable {
    mutating func install(in node: Node, slot: Int) {
        let (value, read) = EnvironmentRead.read(from: node.surroundings.environment, read)
        node.environmentReads.append(read)
        self.value = value
    }
}
