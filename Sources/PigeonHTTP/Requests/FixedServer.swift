public import Foundation

/// A server whose address does not change.
///
/// ```swift
/// let server = FixedServer(URL(string: "https://api.example.com/v1"))
/// ```
public final class FixedServer: ServerProvider {
    /// The address.
    public let baseURL: URL?

    /// Creates a server. Without an address each request ends with ``RequestError/missingURL``, so that an address which
    /// cannot be parsed needs no `!`.
    public init(_ baseURL: URL?) {
        self.baseURL = baseURL
    }
}
