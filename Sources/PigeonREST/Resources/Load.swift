internal import PigeonBase
internal import PigeonCore

/// One load of a resource: the request for its content, which a fetch of the client carries.
///
/// The request completes with the server's response. Its hooks run once the fetch no longer carries it: by then, the
/// client has the response, or has no use for it.
final class Load: FetchRequest, @unchecked Sendable {  // the resource's lock guards `life`
    let resource: Resource
    let request: any Request
    /// True if the request need not be sent when a persistent cache has content that is up to date.
    let acceptsCached: Bool
    private var life = Life()

    private struct Life {
        /// The attempt that sends the request, until the fetch no longer carries it.
        var run: FetchRun?
        /// The response of the request, once it has completed.
        var response: ResponseInfo?
        /// The content of the response, if it has any.
        var content: Payload?
        /// True if a later load has replaced this one before it was sent.
        var isReplaced = false
        /// True once the fetch no longer carries the request.
        var isOver = false
        /// True if the fetch carries a request of another face, and so does not call this one.
        var isUncarried = false
        var reportsProgress = false
    }

    init(_ resource: Resource, _ request: any Request, acceptsCached: Bool = false) {
        self.resource = resource
        self.request = request
        self.acceptsCached = acceptsCached
    }

    var live: LiveRequest? { request as? LiveRequest }

    var isSent: Bool { live?.isSent ?? (request.state != .notStarted) }

    func send() {
        if let live { live.send() } else { request.start() }
    }

    private func change<Result>(_ body: (inout Life) -> Result) -> Result {
        resource.state.withLock { _ in body(&life) }
    }

    /// Makes the request part of the load. Its hooks wait for the end of the load, if it is a ``LiveRequest``.
    func join() {
        let listener: RequestLife.EndListener = { [weak self] in self?.completed($0) }
        if let live { live.join(listener) } else { request.followToEnd(listener) }
    }

    // MARK: The fetch

    /// The state of a load when an attempt takes it.
    enum Taken {
        /// The caller must send the request.
        case toBeSent
        /// The request completes with the response of a later load.
        case replaced
        case completed(ResponseInfo, Payload?)
        /// The fetch has ended in the meantime.
        case over
    }

    /// Makes an attempt wait for the response.
    func take(for run: FetchRun) -> Taken {
        change { life in
            guard !life.isOver else { return .over }
            life.run = run
            if let response = life.response { return .completed(response, life.content) }
            return life.isReplaced ? .replaced : .toBeSent
        }
    }

    /// True if the request has completed, or will complete with the response of another load.
    var isNotToBeSent: Bool { change { $0.response != nil || $0.isReplaced } }

    /// Completes the load with a response that is not its server's.
    func complete(with info: ResponseInfo) {
        if let live { live.broadcastResponse(info) } else { completed(info) }
    }

    /// Completes the request with the response of a load that has replaced this one.
    func complete(as other: Load) {
        change { $0.isReplaced = true }
        other.request.followLate { [self] in complete(with: $0) }
    }

    /// Ends the attempt that would have sent the request, because another load has replaced this one. It may hold the place at
    /// the upstream for which the other one waits.
    func endReplaced() {
        change { $0.isReplaced ? $0.run.take() : nil }?.end(with: .failure(CancellationError()))
    }

    /// The request has completed. Its response goes to the client before any hook runs.
    private func completed(_ info: ResponseInfo) {
        let content = info.content
        let (run, isUncarried) = resource.completed(self) { () -> (FetchRun?, Bool) in
            guard life.response == nil else { return (nil, false) }
            (life.response, life.content) = (info, content)
            return (life.run, life.isUncarried)
        }
        if info.isCancellation, !isUncarried {
            return resource.client.cancelFetch(carrying: self, of: resource.queryKey)
        }
        if let run { resource.end(run, with: info, content) }
        if isUncarried { fetchEnded(.answered) }
    }

    /// Notes that the fetch carries a request of another face. The load then ends with its own response.
    func noteUncarried() { change { $0.isUncarried = true } }

    func fetchEnded(_ end: FetchEnd) {
        let ended = change { life in
            defer { (life.isOver, life.run) = (true, nil) }
            return life
        }
        if let response = ended.response {
            if let run = ended.run { resource.updateCaches(with: response, ended.content, run) }
        } else if !ended.isReplaced {
            switch end {
            case _ where !isSent: resource.completeUnsent(self, end)
            case .superseded: break  // it continues for its holders
            case .answered, .failed, .cancelled: request.cancel()
            }
        }
        live?.release()
    }

    // Called under the resource's lock.

    /// True if the response can become the content.
    var isCurrent: Bool { !life.isOver && !life.isReplaced }

    /// - Returns: False if the progress is reported already.
    func beginReportingProgress() -> Bool {
        defer { life.reportsProgress = true }
        return !life.reportsProgress
    }
}
