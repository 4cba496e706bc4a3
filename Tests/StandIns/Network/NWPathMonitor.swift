/// Stands for `Network.NWPathMonitor`.
public final class NWPathMonitor: @unchecked Sendable {  // has nothing that changes
    public init() {}
}
