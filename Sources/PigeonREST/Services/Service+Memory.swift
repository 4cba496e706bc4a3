internal import PigeonCore

extension Service {
    /// How many resources' content is kept at most; 2048 by default. What nobody uses is let go above it, least recently
    /// used first.
    public final var cachedResourceCountLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            state.withLock { $0.countLimit = max(0, newValue) }
            limitCount()
        }
    }

    func limitCount() {
        sweep()
        client.dropUnused(within: queryKey, downTo: cachedResourceCountLimit)
    }

    /// Drops the content of all resources that the program neither holds nor observes.
    ///
    /// Called for you when memory is short.
    public final func flushUnusedResources() {
        flush(.unused)
    }

    func flush(_ cause: Cause) {
        sweep()
        client.dropUnused(within: queryKey, downTo: 0, cause)
    }

    /// Lets go of observers whose owners are gone: they keep resources.
    private func sweep() {
        for resource in liveResources { resource.hub.sweep(resource) }
    }

    /// The resources that somebody keeps, but for the one of no address.
    final var liveResources: [Resource] {
        state.withLock { $0.resources }.compactMap { $0.key.isEmpty ? nil : $0.value.resource }
    }

    /// Forgets resources that are gone, each time twice as many were made as were left before.
    func prune() {
        let places = state.withLock { state in
            state.resources.count + state.paths.count > state.pruneAt ? (state.resources, state.paths) : nil
        }
        guard let (resources, paths) = places else { return }
        // Outside of the lock: the last reference to one may be the one that a look takes.
        let (gone, gonePaths) = (resources.filter { $0.value.isGone }, paths.filter { $0.value.isGone })
        state.withLock { state in
            for (name, place) in gone where state.resources[name]?.id == place.id { state.resources[name] = nil }
            for (path, place) in gonePaths where state.paths[path]?.id == place.id { state.paths[path] = nil }
            state.pruneAt = max(256, 2 * (state.resources.count + state.paths.count))
        }
    }

    /// Loads what is observed and not up to date: for an app that comes back to the foreground.
    public final func reloadAllResourcesIfNeeded() {
        for resource in liveResources where resource.isObserved { resource.loadIfNeeded() }
    }
}
