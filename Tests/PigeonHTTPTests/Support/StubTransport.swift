import Foundation
import PigeonHTTP

/// A transport that answers with a closure, and records its requests.
final class StubTransport: HTTPTransport {
    typealias Answer = @Sendable (TransportRequest) async throws(HTTPError) -> TransportResponse<Data>

    private let asked = Locked<[TransportRequest]>([])
    private let answer: Answer

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    var requests: [TransportRequest] { asked.withLock { $0 } }

    func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        asked.withLock { $0.append(request) }
        return try await answer(request)
    }

    func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        let whole = try await send(request, limit: nil, report: report)
        return TransportResponse(status: whole.status, headers: whole.headers, body: HTTPChunks(piece: whole.body))
    }
}

extension TransportResponse<Data> {
    static func answer(_ status: Int, _ headers: HTTPHeaders = [:], _ body: String = "") -> Self {
        TransportResponse(status: status, headers: headers, body: Data(body.utf8))
    }

    static func ok(_ body: String = "", _ headers: HTTPHeaders = [:]) -> Self { answer(200, headers, body) }
}

/// A server whose address can be changed.
final class StubServer: ServerProvider {
    private let address: Locked<URL?>

    init(_ address: String = "https://example.com") {
        self.address = Locked(URL(string: address))
    }

    var baseURL: URL? {
        get { address.withLock { $0 } }
        set { address.withLock { $0 = newValue } }
    }
}

/// Blocks all callers until it is opened.
final class StubGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Number of waiting callers.
    var count: Int { state.withLock { $0.waiting.count } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
