import Foundation
import PigeonHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transports in this build. Tests of their common behavior run once with each.
enum TransportKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case urlSession = "URLSession"
    #if AsyncHTTPClient
        case asyncHTTPClient = "AsyncHTTPClient"
    #endif

    var testDescription: String { rawValue }

    func make() -> any HTTPTransport {
        switch self {
        case .urlSession: URLSessionTransport(configuration: .ephemeral)
        #if AsyncHTTPClient
            case .asyncHTTPClient: AsyncHTTPClientTransport()
        #endif
        }
    }
}

extension HTTPTransport {
    /// Requests a URL, and returns the whole response.
    func get(_ url: URL, limit: Int? = nil, timeout: Duration? = nil) async throws(HTTPError) -> TransportResponse<Data>
    {
        try await send(TransportRequest(method: .get, url: url, timeout: timeout), limit: limit, report: nil)
    }

    /// Requests a URL, and returns the response with its body piece by piece.
    func streamed(_ url: URL, timeout: Duration? = nil) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        try await stream(TransportRequest(method: .get, url: url, timeout: timeout), report: nil)
    }
}

extension TransportResponse<Data> {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTPChunks {
    /// The whole body.
    func collected() async throws -> Data {
        var all = Data()
        for try await chunk in self { all.append(chunk) }
        return all
    }
}
