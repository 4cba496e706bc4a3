/// Says why a ``GitHubServer`` did not start.
package enum GitHubServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The port is not one of 0 to 65535.
    case invalidPort(Int)
    /// The port was opened, but has no address.
    case noAddress

    package var description: String {
        switch self {
        case .invalidPort(let port): "The server cannot listen on port \(port): give 0 to 65535, 0 for a free one."
        case .noAddress: "The server's port has no address: start it again."
        }
    }
}
