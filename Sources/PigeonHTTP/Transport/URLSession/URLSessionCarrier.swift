internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A task of a session, for one exchange. Retains the transport, and with it the session, until its end.
final class URLSessionCarrier: Carrier {
    let task: URLSessionTask
    let exchange: Exchange
    let transport: URLSessionTransport
    private let upload: URLSessionUpload
    private let state = Locked(State())

    private struct State {
        var isCancelled = false
        var pauses = 0
    }

    init(_ task: URLSessionTask, for exchange: Exchange, of transport: URLSessionTransport, upload: URLSessionUpload) {
        self.task = task
        self.exchange = exchange
        self.transport = transport
        self.upload = upload
    }

    func cancel() {
        state.withLock { $0.isCancelled = true }
        #if canImport(FoundationNetworking)
            setPauses { $0 = 0 }
        #endif
        transport.whenFree { self.task.cancel() }
    }

    #if canImport(FoundationNetworking)
        // On Linux, `suspend()` would send the request again.
        var highWater: Int { 1 << 25 }

        func pause() {
            setPauses { $0 += 1 }
        }

        func proceed() {
            setPauses { $0 = max(0, $0 - 1) }
        }

        private func setPauses(_ change: (inout Int) -> Void) {
            let (before, after) = state.withLock { state in
                let before = state.pauses
                change(&state.pauses)
                return (before, state.pauses)
            }
            if before == 0, after > 0 { transport.throttle.begin() }
            if before > 0, after == 0 { transport.throttle.end() }
        }
    #else
        func pause() {
            task.suspend()
        }

        func proceed() {
            task.resume()
        }
    #endif

    /// Takes a redirect as the response.
    func declineRedirect(_ decline: (URLRequest?) -> Void) {
        #if canImport(FoundationNetworking)
            // On Linux, answering the redirect of a task that was cancelled before is a fatal error.
            state.withLock { if !$0.isCancelled { decline(nil) } }
        #else
            decline(nil)
        #endif
    }

    func didReceive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse, !response.isInterim else { return }
        let headers = HTTPHeaders(response)
        exchange.didReceive(response.statusCode, headers)
        #if canImport(FoundationNetworking)
            let codings = headers.bodyCodings
            if !codings.isEmpty, !exchange.state.withLock(\.isBodiless),
                task.originalRequest?.value(forHTTPHeaderField: "Accept-Encoding") == "identity"
            {
                exchange.fail(.transport(URLError(.coded(codings.joined(separator: ", ")))))
            }
        #endif
    }

    func didEnd(with error: (any Error)?) {
        #if canImport(FoundationNetworking)
            setPauses { $0 = 0 }
        #endif
        let hasHead = exchange.state.withLock { $0.head != nil }
        // On Linux, the head of a redirect without a target is reported only at the end.
        if error == nil, !hasHead, let response = task.response { didReceive(response) }
        exchange.didEnd(with: error.map { HTTPError(URLError($0, hasHead: hasHead, codedAs: exchange.codings)) })
    }
}

extension HTTPURLResponse {
    /// True if another response follows (RFC 9110, 15.2). A session on Linux reports interim responses too.
    fileprivate var isInterim: Bool { (100...199).contains(statusCode) && statusCode != 101 }
}
