internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLSessionExchange {
    /// How many unread bytes may wait before a stream's task stands still.
    private static let highWater = 1 << 20

    /// Takes a redirect for the answer that it is.
    func declineRedirect(_ decline: (URLRequest?) -> Void) {
        #if canImport(FoundationNetworking)
            // There, an answer for a task that was cancelled in between is a fatal error.
            state.withLock { if $0.end == nil { decline(nil) } }
        #else
            decline(nil)
        #endif
    }

    func didSend(_ count: Int64) {
        advance { $0.progress.sent = count }
    }

    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, !response.isInterim else { return }
        advance { take(response, into: &$0) }
    }

    func didReceive(_ data: Data) {
        advance { state in
            state.progress.received += Int64(data.count)
            if case .whole(let limit?) = kind, state.progress.received > limit {
                return end(&state, with: .bodyTooLarge(limit: limit))
            }
            if state.body.isEmpty { state.body = data } else { state.body.append(data) }
            slowDown(&state)
        }
    }

    func didComplete(with error: (any Error)?, response: URLResponse?) {
        update { state in
            state.kept = nil
            guard state.end == nil else { return }
            if let error {
                state.end = .failure(HTTPError(URLError(error, hasHead: state.head != nil)))
                return
            }
            // On Linux, a redirect that leads nowhere is told of here alone.
            if state.head == nil, let response = response as? HTTPURLResponse { take(response, into: &state) }
            guard state.end == nil else { return }
            state.end = state.head == nil ? .failure(.transport(URLError(.badServerResponse))) : .success(())
        }
    }

    /// Changes the state unless the exchange has ended, and tells how far it has come.
    private func advance(_ change: (inout State) -> Void) {
        var progress: TransferProgress?
        update { state in
            guard state.end == nil else { return }
            change(&state)
            progress = state.progress
        }
        if let report, let progress { report(progress) }
    }

    private func take(_ response: HTTPURLResponse, into state: inout State) {
        let headers = HTTPHeaders(response)
        state.head = TransportResponse(status: response.statusCode, headers: headers, body: ())
        guard let length = bodyLength(of: response.statusCode, headers) else { return }
        state.progress.expectedToReceive = length
        if case .whole(let limit?) = kind, length > limit { end(&state, with: .bodyTooLarge(limit: limit)) }
    }

    /// The length of the body to come, where the server told it (RFC 9110, 8.6). That of a compressed body tells nothing.
    private func bodyLength(of status: Int, _ headers: HTTPHeaders) -> Int64? {
        guard request.method != .head, status != 204, status != 304, headers["Content-Encoding"] == nil,
            let length = headers["Content-Length"].flatMap(Int64.init), length >= 0
        else { return nil }
        return length
    }

    /// Lets the task stand still when its reader is far behind. On Linux that would send the request again.
    private func slowDown(_ state: inout State) {
        #if !canImport(FoundationNetworking)
            guard case .stream = kind, !state.isSuspended, state.body.count > Self.highWater else { return }
            state.isSuspended = true
            task.suspend()
        #endif
    }
}

extension HTTPURLResponse {
    /// Whether another answer follows (RFC 9110, 15.2), which the session of Linux tells of too.
    fileprivate var isInterim: Bool { (100...199).contains(statusCode) && statusCode != 101 }
}
