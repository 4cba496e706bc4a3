internal import PigeonCore

extension Service {
    /// The maximum number of resources whose content is kept in memory. 2048 by default. Above it, unused content is
    /// removed, least recently used first.
    public final var cachedResourceCountLimit: Int {
        get { state.withLock { $0.countLimit } }
        set {
            state.withLock { $0.countLimit = max(0, newValue) }
            limitCount()
        }
    }

    func limitCount() {
        sweep()
        client.removeUnused(within: queryKey, keeping: cachedResourceCountLimit)
    }

    /// Removes the content of all resources that the program neither retains nor observes.
    ///
    /// Called automatically when memory is short.
    public final func flushUnusedResources() {
        flush(.unused)
    }

    func flush(_ cause: Cause) {
        sweep()
        client.removeUnused(within: queryKey, keeping: 0, cause)
    }

    /// Removes observers whose owners have been released, because observers retain resources.
    private func sweep() {
        for resource in liveResources { resource.sweep() }
    }

    /// The resources that are retained, except the one without a URL.
    final var liveResources: [Resource] {
        state.withLock { $0.resources }.compactMap { $0.key.isEmpty ? nil : $0.value.resource }
    }

    /// Forgets resources that have been released. Does nothing until the number of remembered resources has doubled
    /// since the last time.
    func prune() {
        let places = state.withLock { state in
            state.resources.count + state.paths.count > state.pruneAt ? (state.resources, state.paths) : nil
        }
        guard let (resources, paths) = places else { return }
        // Done outside the lock, because reading a weak reference may create the last strong reference to a resource.
        let (gone, gonePaths) = (resources.filter { $0.value.isGone }, paths.filter { $0.value.isGone })
        state.withLock { state in
            for (name, place) in gone where state.resources[name]?.id == place.id { state.resources[name] = nil }
            for (path, place) in gonePaths where state.paths[path]?.id == place.id { state.paths[path] = nil }
            state.pruneAt = max(256, 2 * (state.resources.count + state.paths.count))
        }
    }

    /// Loads all observed resources that are not up to date. Call it when an app returns to the foreground.
    public final func reloadAllResourcesIfNeeded() {
        for resource in liveResources where resource.isObserved { resource.loadIfNeeded() }
    }
}
