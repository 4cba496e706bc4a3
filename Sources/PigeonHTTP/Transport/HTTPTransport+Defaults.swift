public import Foundation

extension HTTPTransport {
    /// Reads the stream to its end.
    public func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        let answer = try await stream(request, report: report)
        let body = try await answer.body.collected(limit: limit)
        return TransportResponse(status: answer.status, headers: answer.headers, body: body)
    }
}
