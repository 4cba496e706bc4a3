@preconcurrency internal import OpenCombine

/// Evaluates a node again when an object says that it will change.
@MainActor
final class ObjectObservation {
    private let object: AnyObject
    private let subscription: AnyCancellable

    private init<Object: ObservableObject>(_ object: Object, handle: Handle) {
        self.object = object
        subscription = object.objectWillChange.sink { [weak handle] _ in handle?.objectWillChange() }
    }

    /// Follows `object` from `slot` of `node`, in the place of the object that was followed from there before.
    static func follow<Object: ObservableObject>(_ object: Object?, in node: Node, slot: Int) {
        guard let object else { return node.slots[slot] = nil }
        guard (node.slots[slot] as? ObjectObservation)?.object !== object else { return }
        node.slots[slot] = ObjectObservation(object, handle: node.handle)
    }
}
