@preconcurrency public import OpenCombine

/// Stands for `SwiftUI.StateObject`.
@MainActor
@preconcurrency
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
    nonisolated(unsafe) private let thunk: () -> ObjectType  // called on the main actor only
    nonisolated(unsafe) private var object: ObjectType?  // set on the main actor only

    /// Stands for `StateObject.init(wrappedValue:)`.
    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {
        self.thunk = thunk
        object = nil
    }

    /// Stands for `StateObject.wrappedValue`.
    public var wrappedValue: ObjectType { object ?? thunk() }

    /// Stands for `StateObject.projectedValue`.
    public var projectedValue: ObservedObject<ObjectType>.Wrapper { ObservedObject.Wrapper(object: wrappedValue) }
}

extension StateObject: Installable {
    /// An object that is there already was installed in the view that passes the property on. Both views then share it,
    /// for as long as this one exists.
    mutating func install(in node: Node, slot: Int) {
        let kept = node.slots[slot] as? Kept ?? Kept(wrappedValue, handle: node.handle)
        node.slots[slot] = kept
        object = kept.object
    }

    /// The object of one identity.
    @MainActor
    private final class Kept {
        let object: ObjectType
        private let subscription: AnyCancellable

        init(_ object: ObjectType, handle: Handle) {
            self.object = object
            subscription = object.objectWillChange.sink { [weak handle] _ in handle?.objectWillChange() }
        }
    }
}
