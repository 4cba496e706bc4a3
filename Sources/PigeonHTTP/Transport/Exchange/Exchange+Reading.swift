internal import Foundation
internal import PigeonBase

extension Exchange {
    func whole() async throws(HTTPError) -> TransportResponse<Data> {
        await wait(for: .end)
        return try state.withLock { state in
            state.answer.map { TransportResponse(status: $0.status, headers: $0.headers, body: state.body) }
        }.get()
    }

    /// Waits for the head of the response. The exchange ends when its body is released.
    func stream() async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        let reader = Reader(of: self)
        await wait(for: .head)
        let head = try state.withLock { $0.answer }.get()
        return TransportResponse(
            status: head.status, headers: head.headers, body: HTTPChunks { try await reader.exchange.chunk() })
    }

    /// Waits for more of the body, and returns all of it that has arrived, or `nil` after its end.
    private func chunk() async throws(HTTPError) -> Data? {
        while true {
            let alarm = isSilent ? request.timeout.map(alarm(after:)) : nil
            await wait(for: .bytes)
            alarm?.cancel()
            var chunk: Result<Data?, HTTPError>?
            var paused: (any Carrier)?
            update { (chunk, paused) = $0.takeChunk() }
            paused?.proceed()
            if let chunk { return try chunk.get() }  // otherwise another reader was faster
        }
    }

    /// True if a reader has to wait for the server. The time before a late read does not count as the server's silence.
    private var isSilent: Bool { state.withLock { $0.body.isEmpty && $0.end == nil } }

    /// Retains an exchange for the reader of its body.
    private final class Reader: Sendable {
        let exchange: Exchange

        init(of exchange: Exchange) {
            self.exchange = exchange
        }

        deinit {
            exchange.fail(.cancelled)
        }
    }
}

extension Exchange.State {
    /// Removes and returns the unread bytes or the end, and the carrier to resume.
    fileprivate mutating func takeChunk() -> (Result<Data?, HTTPError>?, paused: (any Carrier)?) {
        guard !body.isEmpty else { return (end?.map { nil }, nil) }
        defer {
            body = Data()
            isPaused = false
        }
        return (.success(body), isPaused ? carrier : nil)
    }
}
