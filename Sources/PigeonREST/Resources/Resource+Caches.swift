internal import Foundation
internal import PigeonCore

extension Resource {
    /// Looks in the persistent caches, if there are any and nothing is known. Who asks while somebody looks waits with them.
    func checkCaches() -> Task<Void, Never>? {
        let pipeline = configuration.pipeline
        guard !pipeline.caches.isEmpty, picture?.payload == nil else { return nil }
        if let running = state.withLock({ $0.check }) { return running }
        let task = Task { await self.check(pipeline) }
        return state.withLock { state in
            if let running = state.check { return running }
            state.check = task
            return task
        }
    }

    private func check(_ pipeline: Pipeline) async {
        await withCheckedContinuation { continuation in
            service.addJob {
                await self.show(pipeline)
                continuation.resume()
            }
        }
        let old = state.withLock { state in
            defer { state.check = nil }
            return state.check
        }
        _ = old
    }

    /// Shows what a cache has, unless something is known by now.
    private func show(_ pipeline: Pipeline) async {
        guard let found = await pipeline.rehydrate(for: self) else {
            return SiestaLog.log(.cache, "\(self): nothing is cached")
        }
        let age = found.entity.age(now: client.environment.wallClock().timeIntervalSinceReferenceDate)
        let isShown = client.show(
            cached: found.entity, age: Duration(untrustedSeconds: age) ?? .forever, for: makeDefinition())
        SiestaLog.log(.cache, "\(self): \(isShown ? "shows" : "has something newer than") what is cached")
        guard isShown else { return }
        for write in found.cacheWrites { await write.cache.write(write.entity, for: self) }
    }

    /// Has the caches keep what a load brought, as long as that is what counts.
    func keep(_ landing: Load.Landing) {
        switch landing {
        case .nothing: break
        case .received(let payload, let writes):
            guard !writes.isEmpty else { return }
            service.addJob {
                for write in writes {
                    // What was wiped or overridden meanwhile is not to be found later.
                    guard self.client.holds(payload, at: self.queryKey) else { return }
                    await write.cache.write(write.entity, for: self)
                }
            }
        case .validated(let payload):
            let caches = configuration.pipeline.caches
            guard !caches.isEmpty else { return }
            let now = client.environment.wallClock().timeIntervalSinceReferenceDate
            service.addJob {
                for cache in caches where self.client.holds(payload, at: self.queryKey) {
                    await cache.touch(timestamp: now, for: self)
                }
            }
        }
    }

    /// Has the caches forget it, after all that they were told before.
    func forgetRecords() {
        let caches = configuration.pipeline.caches
        guard !caches.isEmpty else { return }
        service.addJob { for cache in caches { await cache.remove(for: self) } }
    }
}
