internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// One request and its response: the arrived part, the end, and the waiters for either. Each transport uses it.
final class Exchange: Sendable {
    /// The part of a response that the caller waits for.
    enum Kind: Sendable {
        /// The whole response, with a limit on the bytes of its body.
        case whole(limit: Int?)
        /// The head, then the body piece by piece.
        case stream
    }

    struct State {
        var carrier: (any Carrier)?
        var head: TransportResponse<Void>?
        /// The bytes of the body that have arrived and were not read.
        var body = Data()
        var progress = TransferProgress()
        /// The progress that was reported to the caller.
        var reportedProgress = TransferProgress()
        var end: Result<Void, HTTPError>?
        var waiters: [PendingRead] = []
        var alarm: AlarmHandle?
        /// True if the carrier pauses until the reader has caught up.
        var isPaused = false
        /// True if the response is complete with its head.
        var isBodiless = false
        /// The reason why the body cannot be read. An empty body can.
        var bodyFault: TransportFault?
    }

    struct PendingRead {
        let need: Need
        let wantsProgress: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    /// The condition that a waiter waits for. The end also meets each of them.
    enum Need {
        case head, bytes, room, end
    }

    /// The actions after a change, to be carried out outside the lock.
    struct Effects {
        var cancelled: (any Carrier)?
        var alarm: AlarmHandle?
        var woken: [PendingRead] = []
    }

    let kind: Kind
    let request: TransportRequest
    let report: TransferReport?
    let clock: any QueryClock
    let state: Locked<State>
    /// The codings of which the transport decodes one. `nil` if it refuses all others itself.
    let decodable: [String]?
    /// `nil` if ``RequestLog`` had no listeners when the exchange began.
    private let trace: ExchangeTrace?

    /// - Parameters:
    ///   - length: The number of bytes of the body to send.
    ///   - clock: Measures the request's timeout.
    ///   - codings: The codings of which the transport decodes one. `nil` if it refuses all others itself.
    init(
        for request: TransportRequest, as kind: Kind, sending length: Int64, report: TransferReport?,
        clock: any QueryClock = SystemClock(), decoding codings: [String]? = nil
    ) {
        self.kind = kind
        self.request = request
        self.report = request.gauge == nil ? report : nil
        self.clock = clock
        decodable = codings
        expectedToSend = length
        trace = RequestLog.isOn ? ExchangeTrace(request) : nil
        var state = State()
        state.progress.expectedToSend = length
        state.reportedProgress = state.progress
        self.state = Locked(state)
        request.gauge?.attach(self)
    }

    var progress: TransferProgress { state.withLock { $0.progress } }

    /// The codings of the body, if the head has arrived.
    var codings: [String] { state.withLock { $0.head?.headers.contentCodings ?? [] } }

    var hasEnded: Bool { state.withLock { $0.end != nil } }
    /// True if the reader of the body has fallen behind.
    var isPaused: Bool { state.withLock { $0.isPaused && $0.end == nil } }
    /// The number of bytes of the body to send.
    let expectedToSend: Int64

    func attach(_ carrier: any Carrier) {
        let isLate = state.withLock { state in
            if state.end == nil { state.carrier = carrier }
            return state.end != nil
        }
        if isLate { carrier.cancel() }
    }

    /// Ends the exchange with a timeout if the response, or the head of a stream's, takes too long.
    func expire(after timeout: Duration) {
        let alarm = alarm(after: timeout)
        update { $0.alarm = alarm }
    }

    /// Ends the exchange with a timeout after a time.
    func alarm(after timeout: Duration) -> AlarmHandle {
        clock.schedule(at: clock.now().advanced(by: timeout)) { [weak self] in
            guard let self else { return }
            fail(.transport(URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: request.url])))
        }
    }

    func fail(_ error: HTTPError) {
        update { $0.fail(error) }
    }

    /// Changes the state, and then carries out the effects.
    func update(_ change: (inout State) -> Void) {
        let (effects, news) = state.withLock { state in
            change(&state)
            return (state.takeEffects(kind), trace == nil ? nil : ExchangeTrace.News(state))
        }
        if let news { trace?.note(news) }
        effects.alarm?.cancel()
        effects.cancelled?.cancel()
        for waiter in effects.woken { waiter.continuation.resume() }
    }

    /// Waits for a condition, and reports progress in the meantime. If the caller's task is cancelled, the exchange
    /// ends.
    func wait(for need: Need) async {
        var isMet = false
        while !isMet {
            await pause(for: need, wantsProgress: report != nil)
            isMet = reportProgress(meeting: need)
        }
    }

    /// Reports the progress in the caller's task, since the thread on which it arrives serves others too.
    ///
    /// - Returns: True if the condition was met then.
    @discardableResult
    func reportProgress(meeting need: Need = .end) -> Bool {
        let (news, isMet) = state.withLock { ($0.takeProgress(), $0.meets(need)) }
        if let news { report?(news) }
        return isMet
    }

    /// Waits until the reader has caught up.
    func waitForRoom() async {
        await pause(for: .room, wantsProgress: false)
    }

    private func pause(for need: Need, wantsProgress: Bool) async {
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = PendingRead(need: need, wantsProgress: wantsProgress, continuation: continuation)
                update { $0.waiters.append(waiter) }
            }
        } onCancel: {
            fail(.cancelled)
        }
    }
}

/// Carries one exchange over the network, on behalf of the exchange.
protocol Carrier: AnyObject, Sendable {
    /// Ends the transfer. The exchange ignores later calls from the carrier.
    func cancel()

    /// The number of unread bytes of a stream at which it pauses.
    var highWater: Int { get }

    /// Stops the body from arriving, as far as possible. Called under the exchange's lock, so it must not call the
    /// exchange.
    func pause()

    /// Ends one ``pause()``, perhaps after the next one has begun.
    func proceed()
}

extension Carrier {
    var highWater: Int { 1 << 20 }
}

extension Exchange.State {
    /// Ends with an error, and drops the unread bytes.
    mutating func fail(_ error: HTTPError) {
        guard end == nil else { return }
        end = .failure(error)
        body = Data()
    }

    /// The head, unless the exchange has failed.
    var answer: Result<TransportResponse<Void>, HTTPError> {
        if case .failure(let error) = end { return .failure(error) }
        guard let head else { return .failure(.transport(URLError(.badServerResponse))) }
        return .success(head)
    }

    /// The effects of the state. Each is taken once.
    mutating func takeEffects(_ kind: Exchange.Kind) -> Exchange.Effects {
        var effects = Exchange.Effects()
        if end != nil, let carrier {
            if case .failure = end { effects.cancelled = carrier }
            self.carrier = nil
        }
        if alarm != nil, isInTime(for: kind) {
            effects.alarm = alarm
            alarm = nil
        }
        if waiters.contains(where: wakes) {
            let all = waiters
            effects.woken = all.filter(wakes)
            waiters = all.filter { !wakes($0) }
        }
        return effects
    }

    private func wakes(_ waiter: Exchange.PendingRead) -> Bool {
        meets(waiter.need) || waiter.wantsProgress && progress != reportedProgress
    }

    /// The progress, if it has not been reported.
    mutating func takeProgress() -> TransferProgress? {
        if case .failure = end { return nil }
        guard progress != reportedProgress else { return nil }
        reportedProgress = progress
        return progress
    }

    func meets(_ need: Exchange.Need) -> Bool {
        guard end == nil else { return true }
        return switch need {
        case .head: head != nil
        case .bytes: !body.isEmpty
        case .room: !isPaused
        case .end: false
        }
    }

    /// True if the part of the response that the timeout applies to has arrived, or the exchange has ended.
    private func isInTime(for kind: Exchange.Kind) -> Bool {
        guard case .stream = kind, head != nil else { return end != nil }
        return true
    }
}
