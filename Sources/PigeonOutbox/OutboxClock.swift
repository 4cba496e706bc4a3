internal import Foundation
internal import PigeonCore

/// The clock of an outbox's state: dates that advance with the monotonic clock, so that a wall clock that is set forward or
/// back changes no wait (A4). Dates of the store, which other processes read, are of the wall clock, and are converted here.
struct OutboxClock: Sendable {
    private let clock: any QueryClock
    private let wallClock: @Sendable () -> Date
    private let start: (instant: MonotonicInstant, date: Date)

    init(_ environment: QueryEnvironment) {
        (clock, wallClock) = (environment.clock, environment.wallClock)
        start = (clock.now(), wallClock())
    }

    /// The current time. Equals that of the wall clock until the wall clock is set.
    var now: Date { start.date + start.instant.duration(to: clock.now()).inSeconds }

    /// The seconds by which the wall clock is ahead.
    var shift: TimeInterval {
        let shift = wallClock().timeIntervalSince(now)
        return abs(shift) < 0.001 ? 0 : shift  // the difference of two readings
    }

    func read(_ progress: MutationProgress) -> MutationProgress { moved(progress, by: -shift) }

    func written(_ change: MutationBatch.Change) -> MutationBatch.Change {
        guard case .update(let number, let revision, let progress, let mutation) = change else { return change }
        return .update(number, revision: revision, moved(progress, by: shift), mutation: mutation)
    }

    func written(_ lease: MutationLease) -> MutationLease {
        MutationLease(holder: lease.holder, end: lease.end + shift)
    }

    func read(_ lease: MutationLease) -> MutationLease { MutationLease(holder: lease.holder, end: lease.end - shift) }

    /// The time of this clock at which a record was enqueued. A time in the future comes from a wall clock that was set
    /// back since.
    func begin(of record: MutationRecord) -> Date { min(record.enqueuedAt - shift, now) }

    private func moved(_ progress: MutationProgress, by seconds: TimeInterval) -> MutationProgress {
        guard let date = progress.notBefore, date != .distantPast else { return progress }
        var progress = progress
        progress.notBefore = date + seconds
        return progress
    }
}
