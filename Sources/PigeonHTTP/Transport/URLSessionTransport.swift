public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests by a `URLSession`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession

    /// Creates a transport with a session of its own.
    public init(configuration: URLSessionConfiguration = .default) {
        session = URLSession(configuration: configuration)
    }

    /// Sends.
    public func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> { throw .cancelled }

    /// Streams.
    public func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> { throw .cancelled }
}
