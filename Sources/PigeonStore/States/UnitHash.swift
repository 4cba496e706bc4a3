/// The key of a store that has nothing to tell apart: all of them are equal.
public struct UnitHash: Hashable, Sendable {
    /// Creates the only key there is.
    public init() {}
}
