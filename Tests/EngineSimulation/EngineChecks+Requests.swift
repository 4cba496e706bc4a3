import PigeonCore
import PigeonTesting

/// Checks requests when they are sent.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks {
    /// Records the first request of a refresh of a list.
    func noteRefresh(_ request: SimulatedRequest) {
        guard request.isOfList, !request.isPage, world.named[request.name]?.isKnown == true else { return }
        if begins(request.origin, of: request.name) { self[request.name].refreshes.append(world.server.stamp()) }
    }

    /// Returns true if a request is the first one of a fetch or of an attempt. The other pages follow in any case.
    private func begins(_ fetch: String, of name: String) -> Bool {
        self[name].begun.insert(fetch).inserted
    }

    func check(_ request: SimulatedRequest) {
        guard let process = world.process, let subject = world.named[request.name] else { return }
        if subject.isKnown { checkTag(request, subject) }
        // Of a list, only the first request of an attempt is checked.
        if !request.isOfList || begins("\(request.origin) \(request.attempt)", of: request.name) {
            checkConditions(request, subject, process)
        }
        if subject.isKnown { checkTime(request, process) }
    }

    /// Checks the tag of a conditional request, which must belong to the value that the request has.
    private func checkTag(_ request: SimulatedRequest, _ subject: SimulatedSubject) {
        guard let tag = request.tag, request.previous.map({ "\(request.name) \($0)" }) != tag else { return }
        let rule: SimulationRule =
            if request.attempt > 1 {
                .validatorsOfRetry
            } else if let previous = request.previous, previous < 0 {
                .validatorsOfEdit
            } else {
                .validators
            }
        let version = request.previous.map { "state \($0)" } ?? "nothing"
        found(rule, "attempt \(request.attempt) of \(request.name) asks with the tag of \(tag), and has \(version)")
    }

    /// A request requires a network, a retry also requires the foreground, and there must not be too many retries.
    private func checkConditions(
        _ request: SimulatedRequest, _ subject: SimulatedSubject, _ process: SimulatedProcess
    ) {
        let (name, attempt, options) = (request.name, request.attempt, subject.options)
        if attempt - 1 > options.retry.limit { found(.retries, "\(name) makes attempt \(attempt)") }
        // A request that waited for earlier ones is sent even if the network or the foreground has gone since.
        guard !subject.mayWait else { return }
        if request.cause == .poll, !options.pollsInBackground, !process.environment.activity.isOn {
            found(.polling, "\(name) is polled in the background")
        }
        let needsNetwork =
            options.networkMode == .online || (options.networkMode == .offlineFirst && attempt > 1)
        if needsNetwork, !process.environment.connectivity.isOn { found(.network, "\(name) is fetched offline") }
        // An entry that is polled in the background is retried there too (T37).
        if attempt > 1, !request.isPage, !options.pollsInBackground, !process.environment.activity.isOn {
            found(.network, "\(name) is retried in the background")
        }
    }

    /// Checks the time of a retry. The server may have asked to wait longer.
    private func checkTime(_ request: SimulatedRequest, _ process: SimulatedProcess) {
        // If an entry was removed, the numbers of its fetches start again.
        guard let until = busyUntil.removeValue(forKey: "\(world.lives) \(request.origin)"), request.attempt > 1,
            process.clock.now() < until
        else { return }
        found(.retryAfter, "a retry of \(request.origin) comes \(process.clock.now().duration(to: until)) too early")
    }
}

extension SimulatedRequest {
    /// True for a page that is added to a list.
    fileprivate var isPage: Bool { isOfList && [.nextPage, .previousPage].contains(cause.origin) }
}
