/// Stands for `Network.NWPathMonitor`.
public final class NWPathMonitor: @unchecked Sendable {  // has nothing that changes
    /// Stands for `init()`.
    public init() {}
}
