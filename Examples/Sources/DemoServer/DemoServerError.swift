/// Says why a ``DemoServer`` did not start.
public enum DemoServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host is no name or address that a URL can hold.
    case invalidHost(String)
    /// The port is not one of 0 to 65535.
    case invalidPort(Int)

    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .invalidHost(let host): "The demo server cannot listen on host '\(host)': give a name or an address."
        case .invalidPort(let port): "The demo server cannot listen on port \(port): give 0 to 65535, 0 for a free one."
        }
    }
}
