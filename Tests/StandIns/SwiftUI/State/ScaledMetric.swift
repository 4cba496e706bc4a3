/// Stands for `SwiftUI.ScaledMetric`. Each size of text is a quarter larger than the one before, which is about right.
@propertyWrapper
public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    @Environment(\.dynamicTypeSize) private var size
    private let value: Value

    /// Stands for `ScaledMetric.init(wrappedValue:)`.
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    /// Stands for `ScaledMetric.wrappedValue`.
    public var wrappedValue: Value {
        let sizes = DynamicTypeSize.allCases
        let steps = (sizes.firstIndex(of: size) ?? 0) - (sizes.firstIndex(of: .large) ?? 0)
        return value * (steps < 0 ? 0.9 : Value(4 + steps) / 4)
    }
}
