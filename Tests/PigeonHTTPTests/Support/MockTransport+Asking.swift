import Foundation
import PigeonHTTP
import TestServer

extension MockTransport {
    /// Sends a request to `https://example.com`.
    func ask(
        _ method: HTTPMethod, _ address: String, headers: HTTPHeaders = [:], body: HTTPBody? = nil,
        timeout: Duration? = nil, limit: Int? = nil, report: TransferReport? = nil
    ) async throws(HTTPError) -> TransportResponse<Data> {
        let url = try address.contains("://") ? URL.of(address) : URL.of("https://example.com\(address)")
        let request = TransportRequest(method: method, url: url, headers: headers, body: body, timeout: timeout)
        return try await send(request, limit: limit, report: report)
    }

    /// Requests a path, and returns the answer's text.
    func text(_ address: String) async throws(HTTPError) -> String {
        String(decoding: try await ask(.get, address).body, as: UTF8.self)
    }
}
