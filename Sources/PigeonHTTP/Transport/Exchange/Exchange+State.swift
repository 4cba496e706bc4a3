internal import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

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

    private func wakes(_ waiter: Exchange.Waiter) -> Bool {
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
