internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One task of a session: what has arrived for it, how it ended, and who waits for either.
final class URLSessionExchange: Sendable {
    /// What the caller waits for.
    enum Kind: Sendable {
        /// All of the answer, with at most so many bytes of body.
        case whole(limit: Int?)
        /// The head, then the body piece by piece.
        case stream
    }

    struct State {
        var head: TransportResponse<Void>?
        /// What has arrived of the body and was not read yet.
        var body = Data()
        var progress = TransferProgress()
        var end: Result<Void, HTTPError>?
        var waiters: [(need: Need, continuation: CheckedContinuation<Void, Never>)] = []
        var alarm: AlarmHandle?
        /// Whether the task stands still until the reader has caught up.
        var isSuspended = false
        /// Keeps the session and a temporary file until the task has ended.
        var kept: (URLSessionTransport, URLSessionUpload)?
    }

    /// What a waiter waits for. Each is also met by the end.
    enum Need {
        case head, bytes, end
    }

    let task: URLSessionTask
    let kind: Kind
    let request: TransportRequest
    let report: TransferReport?
    let state: Locked<State>

    init(
        of task: URLSessionTask, for request: TransportRequest, sending upload: URLSessionUpload, as kind: Kind,
        report: TransferReport?, keeping transport: URLSessionTransport
    ) {
        self.task = task
        self.kind = kind
        self.request = request
        self.report = report
        var state = State(kept: (transport, upload))
        state.progress.expectedToSend = upload.count
        self.state = Locked(state)
    }

    /// Sends the request, and ends the exchange when the answer takes too long.
    func start(timeout: Duration?, clock: any QueryClock) {
        if let timeout {
            let alarm = clock.schedule(at: clock.now().advanced(by: timeout)) { [weak self] in
                guard let self else { return }
                fail(.transport(URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: request.url])))
            }
            update { $0.alarm = alarm }
        }
        task.resume()
    }

    /// Ends the exchange and its task before their time.
    func fail(_ error: HTTPError) {
        update { end(&$0, with: error) }
    }

    /// Ends the exchange and its task in favour of an error. What was not read is dropped.
    func end(_ state: inout State, with error: HTTPError) {
        guard state.end == nil else { return }
        state.end = .failure(error)
        state.body = Data()
        task.cancel()  // under the lock, so that a redirect is never declined after it
    }

    /// Changes the state, then wakes who waited for that.
    func update(_ change: (inout State) -> Void) {
        let (woken, alarm) = state.withLock { state in
            change(&state)
            return (state.takeMetWaiters(), state.takeIdleAlarm(for: kind))
        }
        alarm?.cancel()
        for waiter in woken { waiter.resume() }
    }

    /// Waits. When the caller's task is cancelled, the exchange ends.
    func wait(for need: Need) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update { $0.waiters.append((need, continuation)) }
            }
        } onCancel: {
            fail(.cancelled)
        }
    }
}

extension URLSessionExchange.State {
    private func meets(_ need: URLSessionExchange.Need) -> Bool {
        guard end == nil else { return true }
        return switch need {
        case .head: head != nil
        case .bytes: !body.isEmpty
        case .end: false
        }
    }

    fileprivate mutating func takeMetWaiters() -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        let all = waiters
        waiters = all.filter { !meets($0.need) }
        return all.filter { meets($0.need) }.map(\.continuation)
    }

    /// The alarm, when nothing is left that could be late.
    fileprivate mutating func takeIdleAlarm(for kind: URLSessionExchange.Kind) -> AlarmHandle? {
        if case .whole = kind, end == nil { return nil }
        guard end != nil || head != nil else { return nil }
        defer { alarm = nil }
        return alarm
    }
}
