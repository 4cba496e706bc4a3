package import Foundation
package import PigeonHTTP

/// A transport that answers with a closure, and records its requests.
package final class StubTransport: HTTPTransport {
    package typealias Answer = @Sendable (TransportRequest) async throws(HTTPError) -> TransportResponse<Data>

    private let asked = Locked<[TransportRequest]>([])
    private let answer: Answer

    package init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    package var requests: [TransportRequest] { asked.withLock { $0 } }

    package func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        asked.withLock { $0.append(request) }
        return try await answer(request)
    }

    package func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        let whole = try await send(request, limit: nil, report: report)
        return TransportResponse(status: whole.status, headers: whole.headers, body: HTTPChunks(piece: whole.body))
    }
}

extension TransportResponse<Data> {
    package static func answer(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Self {
        TransportResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    package static func ok(_ body: String = "", _ headers: HTTPHeaders = [:]) -> Self { answer(200, headers, body) }
}

/// A server whose address can be changed.
package final class StubServer: ServerProvider {
    private let address: Locked<URL?>

    package init(_ address: String = "https://example.com") {
        self.address = Locked(URL(string: address))
    }

    package var baseURL: URL? {
        get { address.withLock { $0 } }
        set { address.withLock { $0 = newValue } }
    }
}
