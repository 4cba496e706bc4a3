/// Stands for `Network.NWPath`.
public struct NWPath: Equatable, Sendable {
    /// Stands for `NWPath.Status`.
    @frozen
    public enum Status: Equatable, Hashable, Sendable {
        /// Stands for `NWPath.Status.satisfied`.
        case satisfied
        /// Stands for `NWPath.Status.unsatisfied`.
        case unsatisfied
        /// Stands for `NWPath.Status.requiresConnection`.
        case requiresConnection
    }

    /// Stands for `NWPath.status`.
    public let status: Status
    /// Stands for `NWPath.isExpensive`.
    public let isExpensive: Bool
    /// Stands for `NWPath.isConstrained`.
    public let isConstrained: Bool

    /// Makes a path for a test. The real one cannot be made.
    package init(_ status: Status, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.status = status
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}
