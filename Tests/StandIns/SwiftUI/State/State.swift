/// Stands for `SwiftUI.State`.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let initial: Value
    private var location: StateLocation<Value>?

    /// Stands for `State.init(wrappedValue:)`.
    public init(wrappedValue value: Value) {
        initial = value
    }

    /// Stands for `State.init(initialValue:)`.
    public init(initialValue value: Value) {
        initial = value
    }

    /// Stands for `State.wrappedValue`.
    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.value = newValue }
    }

    /// Stands for `State.projectedValue`.
    public var projectedValue: Binding<Value> {
        guard let location else { return Binding(location: StateLocation(initial)) }
        return Binding(location: location)
    }
}

extension State where Value: ExpressibleByNilLiteral {
    /// Stands for `State.init()`.
    public init() {
        self.init(wrappedValue: nil)
    }
}

extension State: Sendable where Value: Sendable {}

extension State: Installable {
    mutating func install(in node: Node, slot: Int) {
        let location = node.slots[slot] as? StateLocation<Value> ?? StateLocation(initial)
        node.slots[slot] = location
        self.location = location
    }
}
