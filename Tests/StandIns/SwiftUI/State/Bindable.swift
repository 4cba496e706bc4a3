/// Stands for `SwiftUI.Bindable`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value> {
    /// Stands for `Bindable.wrappedValue`.
    public var wrappedValue: Value

    private init(keeping value: Value) {
        wrappedValue = value
    }

    /// Stands for the `Bindable.init(wrappedValue:)` that nobody can call.
    @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
    public init(wrappedValue: Value) {
        self.init(keeping: wrappedValue)
    }

    /// Stands for `Bindable.projectedValue`.
    public var projectedValue: Bindable<Value> { self }
}

extension Bindable where Value: AnyObject {
    /// Stands for the dynamic members of `Bindable`.
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let object = wrappedValue
        return Binding(read: { object[keyPath: keyPath] }, write: { value, _ in object[keyPath: keyPath] = value })
    }
}

extension Bindable where Value: AnyObject, Value: Observable {
    /// Stands for `Bindable.init(wrappedValue:)`.
    public init(wrappedValue: Value) {
        self.init(keeping: wrappedValue)
    }

    /// Stands for `Bindable.init(_:)`.
    public init(_ wrappedValue: Value) {
        self.init(keeping: wrappedValue)
    }

    /// Stands for `Bindable.init(projectedValue:)`.
    public init(projectedValue: Bindable<Value>) {
        self = projectedValue
    }
}

extension Bindable: Identifiable where Value: Identifiable {
    /// Stands for `Bindable.id`.
    public var id: Value.ID { wrappedValue.id }
}

extension Bindable: Sendable where Value: Sendable {}
