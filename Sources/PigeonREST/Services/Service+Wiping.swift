public import Foundation
internal import PigeonCore

extension Service {
    /// Removes the content of resources from memory and from their persistent caches. Call it when a user signs out.
    ///
    /// Cancels requests in flight, so that responses to earlier requests are not stored afterwards, in memory or in a
    /// cache. Also removes what earlier runs of the program stored in caches.
    ///
    /// - Parameter predicate: Returns true for the resources to wipe. By default all. Called on any thread, also for
    ///   resources that exist only in a cache.
    public final func wipeResources(matching predicate: @escaping @Sendable (Resource) -> Bool = { _ in true }) {
        // Retains the service until the caches are emptied.
        wipeResources(withURLsMatching: { predicate(self.resource(absoluteURL: $0)) })
    }

    /// Removes the content of the resources that match a pattern, as ``wipeResources(matching:)-swift.method`` does.
    public final func wipeResources(matching pattern: any ConfigurationPatternConvertible) {
        wipeResources(withURLsMatching: pattern.configurationPattern(for: self))
    }

    /// Removes the content of the resources with some URLs from memory and from their persistent caches.
    ///
    /// - Parameter predicate: Returns true for the URLs to wipe. Called on any thread, also for URLs that exist only in
    ///   a cache.
    public final func wipeResources(withURLsMatching predicate: @escaping @Sendable (URL) -> Bool) {
        let resources = knownResources.filter { predicate($0.url) }
        // Done before, so that an observer that loads again at once finds nothing, and after, so that records written
        // in the meantime are removed too.
        for resource in resources { resource.forgetRecords() }
        removeRecords(where: predicate)
        let requests = resources.flatMap(\.allRequests)
        // Removes all entries together, so that an observer that is notified of one finds all of them empty.
        client.delivered(asOne: {
            for resource in resources { resource.letGoOfContent() }
            for resource in resources { client.remove(.path(resource.queryKey)) }
        })
        for request in requests { request.cancel() }
        for resource in resources { resource.forgetRecords { resource.entryState?.payload == nil } }
        removeRecords { predicate($0) && self.resource(absoluteURL: $0).entryState?.payload == nil }
    }

    /// The resources that are retained, and those with content in the client.
    private var knownResources: Set<Resource> {
        let addresses = client.keys.filter { $0.isWithin(queryKey) }.compactMap(\.resourceURL)
        return Set(liveResources).union(addresses.map { resource(absoluteURL: $0) })
    }

    private func removeRecords(where predicate: @escaping @Sendable (URL) -> Bool) {
        let caches = allCaches
        guard !caches.isEmpty else { return }
        addJob { for cache in caches { await cache.removeAll(where: predicate) } }
    }

    /// Waits until the persistent caches have carried out all writes and removals so far.
    public final func settlePersistentCaches() async {
        await queue.perform(client.environment.launch) {}
    }

    /// Runs a job that uses persistent caches, after all earlier jobs.
    func addJob(_ job: @escaping @Sendable () async -> Void) {
        queue.add(job)
        queue.run(client.environment.launch)
    }
}

extension QueryKey {
    /// The URL of the resource whose entry has this key.
    fileprivate var resourceURL: URL? {
        let components = components
        guard components.count > 2, components[2] != "content" else { return nil }
        return URL(string: components[2])
    }
}
