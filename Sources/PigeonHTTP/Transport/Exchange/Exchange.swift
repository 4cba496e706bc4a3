internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request and its answer: what has arrived, how it ended, and who waits for either. The same for each transport.
final class Exchange: Sendable {
    /// What the caller waits for.
    enum Kind: Sendable {
        /// All of the answer, with at most so many bytes of body.
        case whole(limit: Int?)
        /// The head, then the body piece by piece.
        case stream
    }

    struct State {
        var carrier: (any Carrier)?
        var head: TransportResponse<Void>?
        /// What has arrived of the body and was not read yet.
        var body = Data()
        var progress = TransferProgress()
        /// What the caller was told of it.
        var reportedProgress = TransferProgress()
        var end: Result<Void, HTTPError>?
        var waiters: [Waiter] = []
        var alarm: AlarmHandle?
        /// Whether the carrier pauses until the reader has caught up.
        var isPaused = false
    }

    struct Waiter {
        let need: Need
        let wantsProgress: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// What a waiter waits for. Each is also met by the end.
    enum Need {
        case head, bytes, room, end
    }

    /// What is to be done after a change, outside of the lock.
    struct Effects {
        var cancelled: (any Carrier)?
        var alarm: AlarmHandle?
        var woken: [Waiter] = []
    }

    let kind: Kind
    let request: TransportRequest
    let report: TransferReport?
    let clock: any QueryClock
    let state: Locked<State>

    /// - Parameters:
    ///   - length: How many bytes of body are to be sent.
    ///   - clock: Measures the request's timeout.
    init(
        for request: TransportRequest, as kind: Kind, sending length: Int64, report: TransferReport?,
        clock: any QueryClock = SystemClock()
    ) {
        self.kind = kind
        self.request = request
        self.report = report
        self.clock = clock
        expectedToSend = length
        var state = State()
        state.progress.expectedToSend = length
        state.reportedProgress = state.progress
        self.state = Locked(state)
    }

    /// Whether the exchange has ended, for good or ill.
    var hasEnded: Bool { state.withLock { $0.end != nil } }
    /// Whether the reader of the body has fallen behind.
    var isPaused: Bool { state.withLock { $0.isPaused && $0.end == nil } }
    /// How many bytes of body are to be sent.
    let expectedToSend: Int64

    /// Sets who carries the exchange, from now to its end.
    func attach(_ carrier: any Carrier) {
        let isLate = state.withLock { state in
            if state.end == nil { state.carrier = carrier }
            return state.end != nil
        }
        if isLate { carrier.cancel() }
    }

    /// Ends the exchange when the answer, or the head of a stream's, takes too long.
    func expire(after timeout: Duration) {
        let alarm = alarm(after: timeout)
        update { $0.alarm = alarm }
    }

    /// Ends the exchange in so much time.
    func alarm(after timeout: Duration) -> AlarmHandle {
        clock.schedule(at: clock.now().advanced(by: timeout)) { [weak self] in
            guard let self else { return }
            fail(.transport(URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: request.url])))
        }
    }

    /// Ends the exchange before its time.
    func fail(_ error: HTTPError) {
        update { $0.fail(error) }
    }

    /// Changes the state, then does what follows from that.
    func update(_ change: (inout State) -> Void) {
        let effects = state.withLock { state in
            change(&state)
            return state.takeEffects(kind)
        }
        effects.alarm?.cancel()
        effects.cancelled?.cancel()
        for waiter in effects.woken { waiter.continuation.resume() }
    }

    /// Waits, and tells meanwhile how far the exchange has come. When the caller's task is cancelled, the exchange ends.
    func wait(for need: Need) async {
        var isMet = false
        while !isMet {
            await pause(for: need, wantsProgress: report != nil)
            isMet = reportProgress(meeting: need)
        }
    }

    /// Tells how far the exchange has come: in the caller's task, since the thread that it arrives on serves others too.
    ///
    /// - Returns: Whether what is needed was there then.
    @discardableResult
    func reportProgress(meeting need: Need = .end) -> Bool {
        let (news, isMet) = state.withLock { ($0.takeProgress(), $0.meets(need)) }
        if let news { report?(news) }
        return isMet
    }

    /// Waits until no more waits to be read.
    func waitForRoom() async {
        await pause(for: .room, wantsProgress: false)
    }

    private func pause(for need: Need, wantsProgress: Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(need: need, wantsProgress: wantsProgress, continuation: continuation)
                update { $0.waiters.append(waiter) }
            }
        } onCancel: {
            fail(.cancelled)
        }
    }
}

/// What carries one exchange over the network, as the exchange sees it.
protocol Carrier: AnyObject, Sendable {
    /// Ends the transfer. It may still tell the exchange of what happens; nobody listens.
    func cancel()

    /// How many unread bytes of a stream may wait before it pauses.
    var highWater: Int { get }

    /// Lets no more of the body come, as far as that is possible. Called under the exchange's lock: it must not call the
    /// exchange back.
    func pause()

    /// Ends one ``pause()``, perhaps after the next one has begun.
    func proceed()
}

extension Carrier {
    var highWater: Int { 1 << 20 }
}
