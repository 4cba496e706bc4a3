/// Stands for `SwiftUI.ObservedObject`.
@MainActor
@preconcurrency
@propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    /// Stands for `ObservedObject.Wrapper`.
    @MainActor
    @preconcurrency
    @dynamicMemberLookup
    public struct Wrapper {
        let object: ObjectType

        /// Stands for the dynamic members of `ObservedObject.Wrapper`.
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> {
            let object = object
            return Binding(read: { object[keyPath: keyPath] }, write: { value, _ in object[keyPath: keyPath] = value })
        }
    }

    /// Stands for `ObservedObject.wrappedValue`.
    public var wrappedValue: ObjectType

    /// Stands for `ObservedObject.init(wrappedValue:)`.
    public init(wrappedValue: ObjectType) {
        self.wrappedValue = wrappedValue
    }

    /// Stands for `ObservedObject.init(initialValue:)`.
    public init(initialValue: ObjectType) {
        wrappedValue = initialValue
    }

    /// Stands for `ObservedObject.projectedValue`.
    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }
}

extension ObservedObject: Installable {
    mutating func install(in node: Node, slot: Int) {
        ObjectObservation.follow(wrappedValue, in: node, slot: slot)
    }
}
