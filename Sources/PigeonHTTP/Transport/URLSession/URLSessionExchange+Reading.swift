internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLSessionExchange {
    /// Waits for all of the answer.
    func whole() async throws(HTTPError) -> TransportResponse<Data> {
        await wait(for: .end)
        return try state.withLock { state in
            state.answer.map { TransportResponse(status: $0.status, headers: $0.headers, body: state.body) }
        }.get()
    }

    /// Waits for the head of the answer. The exchange ends when nobody holds its body any more.
    func stream() async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        let reader = Reader(of: self)
        await wait(for: .head)
        let head = try state.withLock { $0.answer }.get()
        return TransportResponse(
            status: head.status, headers: head.headers, body: HTTPChunks { try await reader.exchange.chunk() })
    }

    /// Waits for more of the body, and gives all that has arrived of it: `nil` after its end.
    private func chunk() async throws(HTTPError) -> Data? {
        while true {
            await wait(for: .bytes)
            let chunk: Result<Data?, HTTPError>? = state.withLock { state in
                guard state.body.isEmpty else {
                    defer { state.body = Data() }
                    goOn(&state)
                    return .success(state.body)
                }
                return state.end?.map { nil }
            }
            if let chunk { return try chunk.get() }  // else another reader was faster
        }
    }

    private func goOn(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        task.resume()
    }

    /// Holds an exchange for who reads its body.
    private final class Reader: Sendable {
        let exchange: URLSessionExchange

        init(of exchange: URLSessionExchange) {
            self.exchange = exchange
        }

        deinit {
            exchange.fail(.cancelled)
        }
    }
}

extension URLSessionExchange.State {
    /// The head, unless the exchange has failed.
    fileprivate var answer: Result<TransportResponse<Void>, HTTPError> {
        if case .failure(let error) = end { return .failure(error) }
        guard let head else { return .failure(.transport(URLError(.badServerResponse))) }
        return .success(head)
    }
}
