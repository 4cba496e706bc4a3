internal import Foundation
internal import PigeonCore

extension Resource {
    /// Looks in the persistent caches, if there are any and nothing is known. Who asks while somebody looks waits with them.
    func checkCaches() -> Task<Void, Never>? {
        let pipeline = configuration.pipeline
        guard !pipeline.caches.isEmpty else { return nil }
        guard let place = client.emptyPlace(of: queryKey, as: Entity<any Sendable>.self) else { return nil }
        return state.withLock { state in
            if let running = state.check, running.place == place { return running.task }
            let task = Task { await self.check(pipeline, place) }
            state.check = CacheCheck(place: place, task: task)
            return task
        }
    }

    private func check(_ pipeline: Pipeline, _ place: EmptyPlace) async {
        await withCheckedContinuation { continuation in
            service.addJob {
                await self.show(pipeline, place)
                continuation.resume()
            }
        }
        let old = state.withLock { state -> CacheCheck? in
            guard state.check?.place == place else { return nil }
            defer { state.check = nil }
            return state.check
        }
        _ = old
    }

    /// Shows what a cache has, unless something came, or was taken away, since it was asked.
    private func show(_ pipeline: Pipeline, _ place: EmptyPlace) async {
        let now = client.environment.wallClock().timeIntervalSinceReferenceDate
        guard let found = await pipeline.rehydrate(for: self, now: now) else {
            return SiestaLog.log(.cache, "\(self): nothing is cached")
        }
        let age = found.entity.age(now: now)
        let shown = client.show(cached: found.entity, age: Duration(untrustedSeconds: age) ?? .forever, at: place)
        SiestaLog.log(.cache, "\(self): \(shown == nil ? "does not need" : "shows") what is cached")
        guard let shown else { return }
        await write(found.cacheWrites) { self.client.holds(shown, at: place) }
    }

    /// Writes what a load brought to the persistent caches, as long as it is the content.
    func keep(_ payload: Payload, _ writes: [CacheWrite], of run: FetchRun) {
        guard !writes.isEmpty else { return }
        service.addJob { await self.write(writes) { run.holds(payload) } }
    }

    /// Notes in the persistent caches that the content was found to be right, as long as it is the content.
    func touch(_ payload: Payload, of run: FetchRun) {
        let caches = configuration.pipeline.caches
        guard !caches.isEmpty else { return }
        let now = client.environment.wallClock().timeIntervalSinceReferenceDate
        service.addJob {
            for cache in caches where run.holds(payload) { await cache.touch(timestamp: now, for: self) }
        }
    }

    /// What was wiped or overridden meanwhile is not to be found later.
    private func write(_ writes: [CacheWrite], whileTrue isRight: () -> Bool) async {
        for write in writes where isRight() { await write.cache.write(write.entity, for: self) }
        guard !isRight() else { return }
        for write in writes { await write.cache.remove(for: self) }
    }

    /// Has the caches forget it, after all that they were told before.
    ///
    /// - Parameter isNeeded: Asked when it is the turn of this.
    func forgetRecords(if isNeeded: @escaping @Sendable () -> Bool = { true }) {
        let caches = configuration.pipeline.caches
        guard !caches.isEmpty else { return }
        service.addJob {
            guard isNeeded() else { return }
            for cache in caches { await cache.remove(for: self) }
        }
    }
}

/// A look into persistent caches that is under way.
struct CacheCheck: Sendable {
    /// What was empty when it began.
    let place: EmptyPlace
    let task: Task<Void, Never>
}
