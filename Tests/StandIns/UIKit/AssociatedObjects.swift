/// Stands for `ObjectiveC.objc_AssociationPolicy`.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Stands for `OBJC_ASSOCIATION_RETAIN_NONATOMIC`.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
}

/// Stands for `ObjectiveC.objc_setAssociatedObject`. Here views alone can have them.
public func objc_setAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
    guard let view = object as? UIView else { return }
    nonisolated(unsafe) let (key, value) = (key, value)  // stay on this thread
    MainActor.assumeIsolated { view.associated[key] = value }
}

/// Stands for `ObjectiveC.objc_getAssociatedObject`.
public func objc_getAssociatedObject(
    _ object: Any, _ key: UnsafeRawPointer
) -> Any? {
    guard let view = object as? UIView else { return nil }
    nonisolated(unsafe) let key = key  // stays on this thread
    nonisolated(unsafe) var value: Any?  // as well
    MainActor.assumeIsolated { value = view.associated[key] }
    return value
}
