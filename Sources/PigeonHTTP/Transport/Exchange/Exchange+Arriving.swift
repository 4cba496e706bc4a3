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

    func didReceive(_ status: Int, _ headers: HTTPHeaders) {
        advance { take(status, headers, into: &$0) }
    }

    func didReceive(_ data: Data) {
        didReceive(data.count) { body in
            if body.isEmpty { body = data } else { body.append(data) }
        }
    }

    /// Takes a number of bytes of the body, which `append` adds to the unread ones.
    func didReceive(_ count: Int, append: (inout Data) -> Void) {
        advance { state in
            if count > 0, let fault = state.bodyFault { return state.fail(.transport(URLError(fault))) }
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

    /// Ends the exchange with its carrier's outcome. Without a head it is a failure. A response without a body is complete
    /// with its head, and an error after that is not one of the response.
    func didEnd(with error: HTTPError?) {
        update { state in
            guard state.end == nil else { return }
            let missing = state.head == nil ? HTTPError.transport(URLError(.badServerResponse)) : nil
            let failure = state.isBodiless ? nil : error ?? missing
            state.end = failure.map { .failure($0) } ?? .success(())
            state.carrier = nil
        }
    }

    /// Changes the state unless the exchange has ended.
    private func advance(_ change: (inout State) -> Void) {
        update { if $0.end == nil { change(&$0) } }
    }

    private func take(_ status: Int, _ headers: HTTPHeaders, into state: inout State) {
        state.head = TransportResponse(status: status, headers: headers, body: ())
        state.isBodiless = !mayHaveBody(status)
        guard !state.isBodiless else { return }
        let length: Int64?
        do {
            length = headers["Transfer-Encoding"] == nil ? try headers.contentLength() : nil
        } catch {
            return state.fail(.transport(URLError(error)))
        }
        state.isBodiless = length == 0
        if let fault = codingFault(headers), length != 0 {
            guard length == nil else { return state.fail(.transport(URLError(fault))) }
            state.bodyFault = fault
        }
        let codings = headers.contentCodings
        // The length of an encoded body is not the length of its contents.
        guard let length, codings.isEmpty else { return }
        state.progress.expectedToReceive = length
        guard case .whole(let limit) = kind else { return }
        if let limit, length > limit { return state.fail(.bodyTooLarge(limit: limit)) }
        state.body.reserveCapacity(Int(min(length, Self.trustedLength)))
    }

    /// The fault of a body that the transport cannot decode. A transfer coding that was not requested is one too (RFC 9112,
    /// 6.1 and 7.4).
    private func codingFault(_ headers: HTTPHeaders) -> TransportFault? {
        guard let decodable else { return nil }
        let codings = headers.bodyCodings
        let isReadable = codings.isEmpty || codings.count == 1 && decodable.contains(codings[0])
        guard !isReadable || codings != headers.contentCodings else { return nil }
        return .unsupported(codings.joined(separator: ", "), known: decodable)
    }

    /// True if a response with a status can have a body (RFC 9112, 6.3).
    func mayHaveBody(_ status: Int) -> Bool {
        request.method != .head && status != 204 && status != 304 && !(100...199).contains(status)
            && !(request.method == .connect && (200...299).contains(status))
    }
}
