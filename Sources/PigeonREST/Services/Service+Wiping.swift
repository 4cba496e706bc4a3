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
        // Keeps the service until the caches are emptied.
        wipeResources(withURLsMatching: { predicate(self.resource(absoluteURL: $0)) })
    }

    /// Empties the resources that match a pattern, as ``wipeResources(matching:)-swift.method`` does.
    public final func wipeResources(matching pattern: any ConfigurationPatternConvertible) {
        wipeResources(withURLsMatching: pattern.configurationPattern(for: self))
    }

    /// Empties the resources of some addresses, in memory and in their persistent caches.
    ///
    /// - Parameter predicate: Which. Called on any thread, also for addresses that only a cache knows.
    public final func wipeResources(withURLsMatching predicate: @escaping @Sendable (URL) -> Bool) {
        let resources = knownResources.filter { predicate($0.url) }
        // Before: an observer that asks again at once is to find nothing. After: what was being written meanwhile goes too.
        for resource in resources { resource.forgetRecords() }
        removeRecords(where: predicate)
        let requests = resources.flatMap(\.allRequests)
        // All at once: who is told of one finds all empty.
        client.remove(within: resources.map(\.queryKey))
        for request in requests { request.cancel() }
        for resource in resources { resource.forgetRecords { resource.picture?.payload == nil } }
        removeRecords { predicate($0) && self.resource(absoluteURL: $0).picture?.payload == nil }
    }

    /// Those that somebody keeps, and those of whose content the client has any.
    private var knownResources: Set<Resource> {
        let addresses = client.keys(within: queryKey).compactMap(\.resourceURL)
        return Set(liveResources).union(addresses.map { resource(absoluteURL: $0) })
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
