internal import Foundation
internal import PigeonCore

extension Resource {
    /// Starts a lookup in the persistent caches, or joins the one in flight. It shows what it finds, and sends no
    /// request.
    ///
    /// - Returns: The task of the lookup. `nil` if there are no caches, or if the resource has no entry that lacks a
    ///   value.
    @discardableResult
    func checkCaches() -> Task<Void, Never>? {
        let pipeline = configuration.pipeline
        let caches = pipeline.caches
        guard !caches.isEmpty else { return nil }
        guard let empty = client.emptyEntry(of: queryKey, as: Entity<any Sendable>.self) else { return nil }
        if let running = state.withLock({ $0.runningCheck(of: empty) }) { return running }
        let records = CacheRecords(of: self, in: caches)
        return state.withLock { state in
            if let running = state.runningCheck(of: empty) { return running }
            let task = Task { await self.check(pipeline, records, empty) }
            state.check = CacheCheck(entry: empty, task: task)
            return task
        }
    }

    private func check(_ pipeline: Pipeline, _ records: CacheRecords, _ empty: EmptyEntry<Entity<any Sendable>>) async {
        await service.queue.perform(client.environment.launch) { await self.show(pipeline, records, empty) }
        let old = state.withLock { state -> CacheCheck? in
            guard state.check?.entry == empty else { return nil }
            defer { state.check = nil }
            return state.check
        }
        _ = old
    }

    /// Shows cached content, unless the resource has received or lost content since the lookup began.
    private func show(_ pipeline: Pipeline, _ records: CacheRecords, _ empty: EmptyEntry<Entity<any Sendable>>) async {
        var now: TimeInterval { client.environment.wallClock().timeIntervalSinceReferenceDate }
        guard let found = await pipeline.rehydrate(from: records, now: now) else {
            return SiestaLog.log(.cache, "\(self): nothing is cached")
        }
        let age = found.entity.age(now: now)  // includes the time that the lookup took
        let payload = PayloadOf(found.entity)
        let isShown = client.show(
            payload, age: Duration(untrustedSeconds: age) ?? .forever, freshFor: found.entity.lifetime, in: empty)
        SiestaLog.log(.cache, "\(self): \(isShown ? "shows" : "does not need") what is cached")
        guard isShown else { return }
        await write(found.cacheWrites, to: records) { self.client.holds(payload, in: empty) }
    }

    /// Updates the persistent caches once the client has the response to a load.
    func updateCaches(with info: ResponseInfo, _ content: Payload?, _ run: FetchRun) {
        guard case .success = info.response, !(info.isCached && info.source == queryKey) else { return }
        guard let payload = content ?? run.previous else { return }
        let isOwn = info.source == queryKey
        switch (info.isNew, info.cacheWrites) {
        case (true, let writes?) where isOwn: keep(payload, writes, of: run)
        case (true, _): forgetRecords()  // they have older content, which a later 304 response would renew
        case (false, _): if isOwn { touch(payload, of: run) }
        }
    }

    /// Writes the entities of a load to the persistent caches, as long as the load's content is current.
    private func keep(_ payload: Payload, _ writes: [CacheWrite], of run: FetchRun) {
        guard !writes.isEmpty else { return }
        let records = CacheRecords(of: self, in: writes.map(\.cache))
        service.addJob { await self.write(writes, to: records) { run.holds(payload) } }
    }

    /// Records in the persistent caches that the server has confirmed the content, as long as this content is current.
    private func touch(_ payload: Payload, of run: FetchRun) {
        let records = records
        guard !records.isEmpty else { return }
        let now = client.environment.wallClock().timeIntervalSinceReferenceDate
        service.addJob {
            for record in records.all where run.holds(payload) { await record.touch(timestamp: now) }
        }
    }

    /// Writes entities to their caches. If the content is wiped or overridden in the meantime, removes them again, so
    /// that they are not found later.
    private func write(_ writes: [CacheWrite], to records: CacheRecords, whileTrue isRight: () -> Bool) async {
        for write in writes where isRight() { await records[write.cache]?.write(write.entity) }
        guard !isRight() else { return }
        for write in writes { await records[write.cache]?.remove() }
    }

    /// Removes the resource from the persistent caches, after all operations that were requested before.
    ///
    /// - Parameter isNeeded: Called when the removal is due. If it returns false, nothing is removed.
    func forgetRecords(if isNeeded: @escaping @Sendable () -> Bool = { true }) {
        let records = records
        guard !records.isEmpty else { return }
        service.addJob {
            guard isNeeded() else { return }
            for record in records.all { await record.remove() }
        }
    }

    /// The records of the resource for an operation that is requested now. Another user may be signed in by the time
    /// at which the operation is carried out.
    private var records: CacheRecords { CacheRecords(of: self, in: configuration.pipeline.caches) }
}

extension Resource.State {
    /// The task of the lookup in persistent caches that began for an entry, if it is in flight.
    fileprivate func runningCheck(of empty: EmptyEntry<Entity<any Sendable>>) -> Task<Void, Never>? {
        check?.entry == empty ? check?.task : nil
    }
}

struct CacheCheck: Sendable {
    /// The entry without a value for which the lookup began.
    let entry: EmptyEntry<Entity<any Sendable>>
    let task: Task<Void, Never>
}
