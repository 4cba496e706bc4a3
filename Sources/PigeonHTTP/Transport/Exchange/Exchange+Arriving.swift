internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Exchange {
    /// The largest number of unread bytes of a stream, even if its carrier cannot pause at once.
    private static let mostUnread = 1 << 26
    /// The largest number of bytes that are reserved because the server announced them.
    private static let trustedLength: Int64 = 1 << 24

    /// Records the total number of sent bytes.
    func didSend(_ count: Int64) {
        advance { $0.progress.sent = count }
    }

    /// Records a number of further sent bytes.
    func didSend(more count: Int) {
        advance { $0.progress.sent += Int64(count) }
    }

    /// Takes the head of the response.
    func didReceive(_ status: Int, _ headers: HTTPHeaders) {
        advance { take(status, headers, into: &$0) }
    }

    /// Takes a piece of the body.
    func didReceive(_ data: Data) {
        didReceive(data.count) { body in
            if body.isEmpty { body = data } else { body.append(data) }
        }
    }

    /// Takes a number of bytes of the body, which `append` adds to the unread ones.
    func didReceive(_ count: Int, append: (inout Data) -> Void) {
        advance { state in
            state.progress.received += Int64(count)
            if case .whole(let limit?) = kind, state.progress.received > limit {
                return state.fail(.bodyTooLarge(limit: limit))
            }
            append(&state.body)
            guard case .stream = kind, let carrier = state.carrier, state.body.count > carrier.highWater else { return }
            guard state.body.count <= Self.mostUnread else {
                return state.fail(.transport(URLError(.unread(limit: Self.mostUnread))))
            }
            guard !state.isPaused else { return }
            state.isPaused = true
            carrier.pause()
        }
    }

    /// Ends the exchange with its carrier's outcome. Without a head it is a failure.
    func didEnd(with error: HTTPError?) {
        update { state in
            guard state.end == nil else { return }
            let missing = state.head == nil ? HTTPError.transport(URLError(.badServerResponse)) : nil
            state.end = (error ?? missing).map { .failure($0) } ?? .success(())
            state.carrier = nil
        }
    }

    /// Changes the state unless the exchange has ended.
    private func advance(_ change: (inout State) -> Void) {
        update { if $0.end == nil { change(&$0) } }
    }

    private func take(_ status: Int, _ headers: HTTPHeaders, into state: inout State) {
        state.head = TransportResponse(status: status, headers: headers, body: ())
        guard mayHaveBody(status), headers["Transfer-Encoding"] == nil else { return }
        let length: Int64?
        do { length = try headers.contentLength() } catch { return state.fail(.transport(URLError(error))) }
        // The length of an encoded body is not the length of its contents.
        guard let length, headers["Content-Encoding"] == nil else { return }
        state.progress.expectedToReceive = length
        guard case .whole(let limit) = kind else { return }
        if let limit, length > limit { return state.fail(.bodyTooLarge(limit: limit)) }
        state.body.reserveCapacity(Int(min(length, Self.trustedLength)))
    }

    /// True if a response with a status can have a body (RFC 9112, 6.3).
    func mayHaveBody(_ status: Int) -> Bool { request.method != .head && status != 204 && status != 304 }
}
