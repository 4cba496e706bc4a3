/// A store in a client. Has the functions behind all public forms of a store.
final class StoreAccess<DATA: Sendable>: Sendable {
    let client: QueryClient
    let source: StoreSource<DATA>
    let definition: QueryDefinition<StoreContent<DATA>>

    init(_ client: QueryClient, _ source: StoreSource<DATA>) {
        self.client = client
        self.source = source
        definition = source.definition(key: source.identity.key)
    }

    init(_ store: StoreAccess, _ change: @escaping @Sendable (inout QueryOptions) -> Void) {
        client = store.client
        source = store.source
        definition = store.definition.options(change)
    }

    func validate() async {
        _ = try? await client.consult(definition, .ifStale(.requested))
    }

    func refresh() async {
        _ = try? await client.consult(definition, .always(.requested))
    }

    func data(from place: GettingFrom) async throws -> DATA {
        switch place {
        case .cache:
            if let data = try await validData() { return data }
            throw client.snapshot(of: definition).error ?? NoSuchElementError()
        case .origin: return try await fetched(.always(.requested))
        case .both:
            if let content = try client.valueAtOnce(of: definition) { return content.data.value }
            do {
                return try await fetched(.ifStale(.requested))
            } catch let error where !TransientError.isCancellation(error) {
                // In an error state, the data is fetched again whatever is cached. If that fails, valid cached data is
                // still returned.
                guard let data = try? await validData() else { throw error }
                return data
            }
        }
    }

    private func fetched(_ demand: Demand) async throws -> DATA {
        do {
            return try await client.consult(definition, demand).data.value
        } catch let error where TransientError.isCancellation(error) && !Task.isCancelled {
            throw NoSuchElementError()  // the store was emptied, or the fetch cancelled, in the meantime
        }
    }

    /// Returns the cached data. `nil` if it is not valid. Waits for a fetch in flight, and starts none.
    private func validData() async throws -> DATA? {
        try await client.awaitFetch(of: definition)
        let data = SharedOneShot<DATA?>()
        source.queue.add { [source] in data.resolve(await Result { try await source.validData() }) }
        source.queue.run(client.environment.launch)
        return try await data.value(onCancel: .resolves)
    }

    func update(_ data: DATA?, _ keys: [PageDirection: PageKeyUpdate] = [:]) async throws {
        let cache = source.cache
        try await client.change(definition, endsWithTask: false) {
            try await cache.save(data)
            guard let pages = cache.pages else { return }
            guard data != nil else { return try await pages.saveKeys(PageKeys()) }
            guard keys.contains(where: { $0.value != .keep }) else { return }
            var saved = try await pages.loadKeys()
            for (direction, update) in keys {
                switch update {
                case .keep: break
                case .set(let key): saved[direction] = key
                case .end: saved[direction] = nil
                }
            }
            try await pages.saveKeys(saved)
        }
    }

    func clear() async throws {
        try await client.clear(definition, endsWithTask: false)
    }

    func requestPage(_ direction: PageDirection, continueWhenError: Bool) async throws {
        do {
            let reason = try await client.requestPage(direction, of: definition) { entry in
                refusal(of: direction, at: entry, repeatsFailed: continueWhenError)
            }
            switch reason {
            case nil, .unneeded: return
            case .impossible(let error): throw refused(error, direction)
            case .failedBefore(let error): throw error  // the state and the event stream have reported it
            }
        } catch let error where TransientError.isCancellation(error) && !Task.isCancelled {
            // The store was emptied in the meantime, so there is nothing left that the page could follow.
            throw refused(AdditionalRequestOnNilException(), direction)
        }
    }

    private func refusal(of direction: PageDirection, at entry: Entry, repeatsFailed: Bool) -> PageRefusal? {
        if entry.isBusy { return .unneeded }
        if entry.failure != nil { return .impossible(AdditionalRequestOnErrorStateException()) }
        guard let shown = entry.shown else { return .impossible(AdditionalRequestOnNilException()) }
        guard source.canLoad(direction, from: shown) else { return .unneeded }
        if !repeatsFailed, let failure = entry.side?[direction].error { return .failedBefore(failure.error) }
        return nil
    }

    /// Reports a refusal to the event stream too, for requests that cannot fail.
    private func refused(_ error: any Error, _ direction: PageDirection) -> any Error {
        let kind = QueryEvent.Kind.pageFailed(direction, TransientError.label(error))
        client.emit(kind, key: source.identity.key, cause: direction.cause)
        return error
    }
}

/// The reason why no page is loaded.
private enum PageRefusal {
    /// The data itself is being loaded, or the list ends.
    case unneeded
    /// There is no data, or it could not be loaded.
    case impossible(any Error)
    /// The page failed to load before, and is not to be tried again.
    case failedBefore(any Error)
}
