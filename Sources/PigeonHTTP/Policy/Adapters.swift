public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Changes requests before they are sent: signs them, adds headers, moves them elsewhere.
///
/// A request that is moved to another server goes without the policy's token and without its own `Authorization`,
/// `Proxy-Authorization` and `Cookie` fields, and of the policy's headers takes along only those that say what is asked for.
/// Fields that an adapter sets or changes go along.
public protocol URLRequestAdapter: Sendable {
    /// Returns the request to send in place of `request`. What it throws ends the request.
    ///
    /// A body that comes from a file is not part of `request`, and stays unless the result has a body.
    func adapt(_ request: URLRequest) async throws -> URLRequest
}

/// Changes whole answers before they are returned.
public protocol URLResponseAdapter: Sendable {
    /// Returns the answer to return in place of `response`. What it throws ends the request.
    func adapt(_ response: Response<Data?>) async throws -> Response<Data?>
}
