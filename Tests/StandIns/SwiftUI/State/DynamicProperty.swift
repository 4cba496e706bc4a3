/// Stands for `SwiftUI.DynamicProperty`.
public protocol DynamicProperty {
    /// Stands for `DynamicProperty.update()`.
    mutating func update()
}

extension DynamicProperty {
    /// Stands for the `update()` that does nothing.
    public mutating func update() {}
}
