public import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// Shows an entity, as if a server had sent it: as it is, past the pipeline and the network.
    ///
    /// A load under way goes on, and its answer does not take the entity's place: observers hear that it was cancelled.
    /// Persistent caches forget the resource.
    public func overrideLocalData(with entity: Entity<any Sendable>) {
        let now = client.environment.wallClock().timeIntervalSinceReferenceDate
        let age = entity.clamped(now: now).age(now: now)
        let written: Void? = try? client.set(
            entity, age: Duration(untrustedSeconds: age) ?? .forever, for: makeDefinition(), during: .keep)
        let isWritten = written != nil
        SiestaLog.log(.stateChanges, "\(self): \(isWritten ? "overridden" : "not overridden, as its key is taken")")
        forgetRecords()
    }

    /// Shows content of the program's own, with the headers of the content that is there.
    ///
    /// The headers that name a version of the content are dropped, so that a 304 answer never confirms the program's guess.
    public func overrideLocalContent(with content: any Sendable) {
        var entity = latestData?.with(content: content) ?? Entity(content: content, contentType: "application/binary")
        entity.forgetVersion()
        entity.timestamp = client.environment.wallClock().timeIntervalSinceReferenceDate
        overrideLocalData(with: entity)
    }

    /// Has the next ``loadIfNeeded()`` load, whatever the age. A load that is under way may be from before: its answer does
    /// not make the content up to date.
    public func invalidate() {
        client.invalidate(.key(queryKey), refetch: .none)
    }

    /// Takes everything away: content, error, requests under way, and what persistent caches have.
    ///
    /// Nothing that was asked before can land after. Observers go on observing.
    public func wipe() {
        SiestaLog.log(.stateChanges, "\(self): wiped")
        // Before: an observer that asks again at once is to find nothing. After: what was being written meanwhile goes too.
        forgetRecords()
        wipeMemory()
        forgetRecords { [self] in picture?.payload == nil }
    }

    func wipeMemory() {
        let requests = allRequests
        client.remove(.path(queryKey))
        for request in requests { request.cancel() }
    }

    // MARK: Letting loads be

    /// Cancels the loads under way, if nobody observes the resource, or waits for its entry in the client.
    public func cancelLoadIfUnobserved() {
        guard !isObserved, !client.isUsed(queryKey, besides: hub.core) else { return }
        for request in loadRequests { request.cancel() }
    }

    /// Cancels the loads under way after a while, unless somebody observes the resource by then, as
    /// ``cancelLoadIfUnobserved()`` does.
    ///
    /// - Parameters:
    ///   - delay: In seconds.
    ///   - callback: Called then, whether or not anything was cancelled, on the actor it was written on.
    public func cancelLoadIfUnobserved(
        afterDelay delay: TimeInterval,
        @_inheritActorContext then callback: @escaping @isolated(any) @Sendable () -> Void = {}
    ) {
        let clock = client.environment.clock
        let wait = Duration(untrustedSeconds: delay) ?? .zero
        _ = clock.schedule(at: clock.now().advanced(by: wait)) { [self] in
            cancelLoadIfUnobserved()
            Task { [callbacks = service.callbacks] in await callbacks.call(callback) }
        }
    }
}
