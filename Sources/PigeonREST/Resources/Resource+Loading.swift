internal import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// Asks the server for the content, also if it is being asked, and shows what it answers.
    ///
    /// The server is told what is there, so that it can say that nothing has changed. Of several loads the last one asked
    /// for counts, whichever is answered last.
    ///
    /// - Returns: The request, started.
    @discardableResult
    public func load() -> any Request {
        begin(Load(self, makeLoadRequest()))
    }

    /// Loads unless the content is up to date.
    ///
    /// Content that a persistent cache has is shown first, and is enough if it is up to date.
    ///
    /// - Returns: The request, which is the one under way if there is one; `nil` if nothing needs to be loaded.
    @discardableResult
    public func loadIfNeeded() -> (any Request)? {
        let standing = standing
        if let load = state.withLock({ $0.load }), load.isRunning(isLanding: standing?.isFetching ?? false) {
            SiestaLog.log(.staleness, "\(self): is being loaded")
            return load.request
        }
        if standing?.isUpToDate ?? false {
            SiestaLog.log(.staleness, "\(self): is up to date")
            return nil
        }
        let mine = Load(self, makeLoadRequest(), acceptsCached: true)
        let load = state.withLock { state in
            // Somebody else found out the same at the same time.
            if let other = state.load, other.isRunning(isLanding: false) { return other }
            state.load = mine
            return mine
        }
        guard load === mine else { return load.request }
        SiestaLog.log(.staleness, "\(self): is to be loaded")
        return begin(mine)
    }

    /// Shows what a request brings as this resource's content, whatever it asks: another method, another resource.
    ///
    /// ```swift
    /// profile.load(using: profile.request(.put, json: changes))
    /// ```
    @discardableResult
    public func load(using request: any Request) -> any Request {
        begin(Load(self, request))
    }

    func makeLoadRequest() -> any Request {
        makeRequest(.get, isLoad: true)
    }

    /// Has the client begin a fetch that the load is for.
    private func begin(_ load: Load) -> any Request {
        guard wrongAddress == nil else { return load.request.start() }
        adopt(load)
        do {
            try client.beginFetch(definition(for: LoadTicket(load)), .requested)
        } catch {
            let request = load.request as? LiveRequest
            request?.broadcastResponse(ResponseInfo(response: .failure(RequestError(error, url: url))))
            request?.release()
        }
        return load.request
    }

    /// Makes a load the one whose answer is to land.
    private func adopt(_ load: Load) {
        (load.request as? LiveRequest)?.hold()
        let old = state.withLock { state in
            defer { state.load = load }
            return state.load
        }
        _ = old
        track(load.request)
        if hub.tellsProgress {
            (load.request as? LiveRequest)?.followProgress { [weak self] progress in
                self.map { $0.hub.tell(progress: progress, of: $0) }
            }
        }
        load.request.followToEnd { [weak self, weak load] info in
            load?.end.set(info)
            guard info.isCancellation, let self, let load, state.withLock({ $0.load === load }) else { return }
            // At once, so that who asks next finds that nothing is being loaded.
            client.cancel(.key(queryKey))
        }
    }

    // MARK: The client's fetches

    /// What the client knows of it: the key, how it is fetched, and for how long it is fresh.
    func makeDefinition() -> QueryDefinition<Entity<any Sendable>> {
        let configuration = configuration
        let known = state.withLock { $0.definition }
        if let known { return known }
        let made = definition(fetcher: makeFetcher(nil), configuration)
        state.withLock { $0.definition = made }
        return made
    }

    private func definition(for ticket: LoadTicket) -> QueryDefinition<Entity<any Sendable>> {
        definition(fetcher: makeFetcher(ticket), configuration)
    }

    private func definition(
        fetcher: AnyFetcher, _ configuration: Configuration
    ) -> QueryDefinition<Entity<any Sendable>> {
        var definition = QueryDefinition<Entity<any Sendable>>(key: queryKey, fetcher: fetcher)
        definition.changes = configuration.optionChanges(fetchesOnAttach: false)
        return state.withLock { $0.readable }?.amend(definition) ?? definition
    }

    /// A fetcher is kept by the client, so it keeps neither the resource nor the service.
    private func makeFetcher(_ ticket: LoadTicket?) -> AnyFetcher {
        AnyFetcher(afterLanding: Self.finish) { [weak service, url] run in
            guard let load = ticket?.take() ?? service?.resource(absoluteURL: url).takeLoad() else {
                return .failure(RequestError(ServiceGone(), url: url))
            }
            run.scratch = load
            return await load.resource.carryOut(load, run)
        }
    }

    /// The load that a paused fetch was begun for, or one of the client's own.
    private func takeLoad() -> Load {
        if let waiting = state.withLock({ $0.load }), waiting.request.state == .notStarted { return waiting }
        let load = Load(self, makeLoadRequest(), acceptsCached: true)
        adopt(load)
        return load
    }

    private func carryOut(_ load: Load, _ run: FetchRun) async -> FetchOutcome {
        await withTaskCancellationHandler {
            if load.acceptsCached, let check = checkCaches() {
                await check.value
                if !load.request.isCompleted, let found = freshFinding() {
                    (load.request as? LiveRequest)?.broadcastResponse(found)
                    return .unneeded
                }
            }
            if !load.isCancelled { hub.post(.requested, of: self) }
            load.request.start()
            return outcome(await load.end.value, load, run)
        } onCancel: {
            guard run.isSuperseded else { return load.request.cancel() }
            // A newer load took its place: it goes on for those who hold it.
            load.end.set(ResponseInfo(response: .failure(.cancelled(nil))))
        }
    }

    private func freshFinding() -> ResponseInfo? {
        guard isUpToDate, latestError == nil, let entity = latestData else { return nil }
        return ResponseInfo(response: .success(entity), isNew: false)
    }

    private func outcome(_ info: ResponseInfo, _ load: Load, _ run: FetchRun) -> FetchOutcome {
        switch info.response {
        case .failure(let error):
            return .failure(error.isCancellation ? CancellationError() : error)
        case .success(let entity) where info.isNew:
            let payload = PayloadOf(entity)
            if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
            load.land(.received(payload, info.cacheWrites))
            return .value(payload)
        case .success:
            guard let validated = info.validated ?? run.previous else {
                return .failure(RequestError(RequestError.Cause.NoLocalDataFor304(), url: url))
            }
            if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
            run.previous = validated
            load.land(.validated(validated))
            return .notModified
        }
    }

    /// Observers were told: what is left is to tell the caches, and those who hold the request.
    private static func finish(_ run: FetchRun) {
        guard let load = run.scratch as? Load else { return }
        load.resource.keep(load.takeLanding())
        (load.request as? LiveRequest)?.release()
    }
}

/// A resource is to be loaded, and the service that knows how is gone.
struct ServiceGone: Error, CustomStringConvertible {
    var description: String { "the service of the resource is gone: keep it for as long as its resources are used" }
}
