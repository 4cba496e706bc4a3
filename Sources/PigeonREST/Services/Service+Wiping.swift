public import Foundation
internal import PigeonCore

extension Service {
    /// Empties resources, in memory and in their persistent caches: for a user who signs out.
    ///
    /// Requests under way are cancelled, and nothing that was asked before can land after: neither in memory nor in a cache.
    /// What other runs of the program left in caches goes too.
    ///
    /// - Parameter predicate: Which resources; by default all. Called on any thread, also for resources that only a cache
    ///   knows.
    public final func wipeResources(matching predicate: @escaping @Sendable (Resource) -> Bool = { _ in true }) {
        wipeResources(withURLsMatching: { [weak self] url in
            self.map { predicate($0.resource(absoluteURL: url)) } ?? false
        })
    }

    /// Empties the resources that match a pattern, as ``wipeResources(matching:)-swift.method`` does.
    public final func wipeResources(matching pattern: any ConfigurationPatternConvertible) {
        wipeResources(withURLsMatching: pattern.configurationPattern(for: self))
    }

    /// Empties the resources of some addresses, in memory and in their persistent caches.
    ///
    /// - Parameter predicate: Which. Called on any thread, also for addresses that only a cache knows.
    public final func wipeResources(withURLsMatching predicate: @escaping @Sendable (URL) -> Bool) {
        for key in client.keys(within: queryKey) {
            // A list of pages lies below its first page.
            guard let url = key.resourceURL, predicate(url) else { continue }
            client.remove(.key(key))
        }
        for resource in liveResources where predicate(resource.url) { resource.wipeMemory() }
        removeRecords(where: predicate)
    }

    private func removeRecords(where predicate: @escaping @Sendable (URL) -> Bool) {
        let caches = allCaches
        guard !caches.isEmpty else { return }
        addJob { for cache in caches { await cache.removeAll(where: predicate) } }
    }

    /// Waits until the persistent caches have done what they were told so far: written, or removed for good.
    public final func settlePersistentCaches() async {
        await withCheckedContinuation { continuation in
            addJob { continuation.resume() }
        }
    }

    /// Does something with persistent caches once what was asked for before is done.
    func addJob(_ job: @escaping @Sendable () async -> Void) {
        lane.add(job)
        lane.run(client.environment.launch)
    }
}

extension QueryKey {
    /// The address of the resource that an entry is of, or lies below.
    fileprivate var resourceURL: URL? {
        let components = components
        return components.count > 2 ? URL(string: components[2]) : nil
    }
}
