public import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// Replaces the content with an entity as it is, as if the server had sent it. The pipeline does not process the
    /// entity, and no request is sent.
    ///
    /// A load in flight continues, but its response does not replace the entity, and observers are notified that the
    /// load was cancelled. The resource is removed from persistent caches.
    public func overrideLocalData(with entity: Entity<any Sendable>) {
        let now = client.environment.wallClock().timeIntervalSinceReferenceDate
        let age = entity.clamped(now: now).age(now: now)
        let written: Void? = try? client.set(
            entity, age: Duration(untrustedSeconds: age) ?? .forever, for: definition, during: .keep)
        let isWritten = written != nil
        SiestaLog.log(.stateChanges, "\(self): \(isWritten ? "overridden" : "not overridden, as its key is taken")")
        forgetRecords()
    }

    /// Replaces the content with local content, and keeps the headers of the current content.
    ///
    /// Only the headers that identify a version of the content are removed, so that a 304 response never confirms the
    /// local content.
    public func overrideLocalContent(with content: any Sendable) {
        var entity = latestData?.with(content: content) ?? Entity(content: content, contentType: "application/binary")
        entity.forgetVersion()
        entity.timestamp = client.environment.wallClock().timeIntervalSinceReferenceDate
        overrideLocalData(with: entity)
    }

    /// Makes the next ``loadIfNeeded()`` load the content, whatever its age. The response to a load in flight does not
    /// make the content up to date, because it may be older than the invalidation.
    public func invalidate() {
        client.invalidate(.key(queryKey), refetch: .none)
    }

    /// Removes the content and the error, cancels the requests in flight, and removes the resource from persistent
    /// caches.
    ///
    /// Responses to earlier requests are no longer stored. Observers continue to observe the resource.
    public func wipe() {
        SiestaLog.log(.stateChanges, "\(self): wiped")
        // Records are removed before, so that an observer that loads again at once finds none, and after, so that
        // records written in the meantime are removed too.
        forgetRecords()
        wipeMemory()
        forgetRecords { [self] in entryState?.payload == nil }
    }

    func wipeMemory() {
        let requests = allRequests
        letGoOfContent()
        client.remove(.path(queryKey))
        for request in requests { request.cancel() }
    }

    /// Cancels the fetch of the resource's typed query, and removes its entry if nobody observes it. One that is observed
    /// shows what the resource has.
    func letGoOfContent() {
        client.cancel(.key(contentKey))
        client.removeUnused(within: contentKey, keeping: 0)
    }

    // MARK: Cancelling loads

    /// True if another observer than the resource's own observes its entry, or a caller waits for it.
    private var isUsedByOthers: Bool {
        guard let report = client.report(of: queryKey) else { return false }
        return report.waiterCount > 0 || report.observers.count > (entryObserver == nil ? 0 : 1)
    }

    /// Cancels the loads in flight, unless the resource or its entry in the client has observers, or a caller waits for
    /// the entry.
    public func cancelLoadIfUnobserved() {
        guard !isObserved, !isUsedByOthers else { return }
        for request in loadRequests { request.cancel() }
    }

    /// Cancels the loads in flight after a delay, unless the resource is in use by then. See
    /// ``cancelLoadIfUnobserved()``.
    ///
    /// - Parameters:
    ///   - delay: The delay, in seconds.
    ///   - callback: Called after the delay, whether or not a load was cancelled, on the actor on which it was written.
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
