internal import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// Asks the server for the content, also if it is being asked, and shows what it answers.
    ///
    /// The server is told what is there, so that it can say that nothing has changed. Of several loads under way each answer
    /// is shown, unless that of a load that was asked for later was there before it.
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
        let known = currentLoad
        let standing = standing
        if let known, known.isBeginning || (standing?.isFetching ?? false && !known.isCancelled) {
            SiestaLog.log(.staleness, "\(self): is being loaded")
            return known.request
        }
        if standing?.isUpToDate ?? false {
            SiestaLog.log(.staleness, "\(self): is up to date")
            return nil
        }
        SiestaLog.log(.staleness, "\(self): is to be loaded")
        return begin(Load(self, makeLoadRequest(), acceptsCached: true), inPlaceOf: known)
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
        adopt(load)
        return fetch(load)
    }

    /// The same, unless somebody else begins one meanwhile: then that is everybody's.
    private func begin(_ load: Load, inPlaceOf known: Load?) -> any Request {
        let other = adopt(load, unlessOtherThan: known)
        return other.map(\.request) ?? fetch(load)
    }

    private func fetch(_ load: Load) -> any Request {
        do {
            let definition = definition(for: LoadTicket(load))
            let isTold = try hub.deliverAfter(of: self) {
                load.awaitStart()
                try client.beginFetch(definition, .requested) { load.generation = $0 }
            }
            guard !isTold else {
                if load.endWait() { load.send() }
                return load.request
            }
            try client.beginFetch(definition, .requested) { load.generation = $0 }
        } catch {
            (load.request as? LiveRequest)?
                .broadcastResponse(ResponseInfo(response: .failure(RequestError(error, url: url))))
            forget(load)
            load.release()
        }
        return load.request
    }

    /// The loads that are not over, first to last asked.
    var loads: [Load] { state.withLock { $0.loads } }

    /// The newest load whose answer can become the content.
    var currentLoad: Load? { state.withLock { $0.currentLoad } }

    /// Makes a load the newest.
    private func adopt(_ load: Load) {
        let old = state.withLock { $0.add(load) }
        follow(load, replacing: old)
    }

    /// The same, unless another has come in the place of the one that is known.
    ///
    /// - Returns: That one.
    private func adopt(_ load: Load, unlessOtherThan known: Load?) -> Load? {
        let (old, isAdopted) = state.withLock { state -> (Load?, Bool) in
            let old = state.currentLoad
            guard old == nil || old === known else { return (old, false) }
            return (state.add(load), true)
        }
        guard isAdopted else {
            if let old, !old.isCancelled { return old }
            adopt(load)
            return nil
        }
        follow(load, replacing: old)
        return nil
    }

    private func follow(_ load: Load, replacing old: Load?) {
        load.start()
        track(load.request)
        followProgressOfLoad()
        load.request.followToEnd { [weak self, weak load] info in
            guard let load else { return }
            load.noteEnded(info)
            guard let self else { return }
            guard info.isCancellation else {
                if load.isOver { forget(load) }
                return
            }
            // At once, so that who asks next finds that nothing is being loaded.
            if let generation = load.generation { client.cancelFetch(generation, of: queryKey) }
            load.noteLanded()
            forget(load)
            load.release()
        }
        // What was never sent ends as what is sent in its place.
        if let old, old.request !== load.request, !old.isSent { old.end(as: load) }
    }

    /// Lets go of a load that is over: it keeps the resource.
    private func forget(_ load: Load) {
        let old = state.withLock { state in
            defer { state.loads.removeAll { $0 === load } }
            return state.loads
        }
        _ = old
    }

    /// Tells those observers that want to know how far the load has come, if there is a load, and nobody tells them yet.
    func followProgressOfLoad() {
        guard let load = currentLoad, hub.wantsProgress, load.beginTellingProgress() else { return }
        (load.request as? LiveRequest)?.followProgress { [weak self, weak load] progress in
            // That of an older one would go back.
            guard let self, let load, loads.last === load else { return }
            hub.post(progress: progress, of: self)
        }
    }

    // MARK: The client's fetches

    /// What the client knows of it: the key, how it is fetched, and for how long it is fresh.
    func makeDefinition() -> QueryDefinition<Entity<any Sendable>> {
        let (configuration, version) = configurationAndVersion(for: .get)
        let known = state.withLock { $0.definition }
        if let known { return known }
        let made = definition(fetcher: makeFetcher(nil), configuration)
        state.withLock { state in
            if state.configurationVersion == version { state.definition = made }
        }
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
        let address = wrongAddress == nil ? url : nil
        return AnyFetcher(afterLanding: Self.finish) { [weak self, weak service, url] run in
            guard !run.isStopped else {
                if !run.isSuperseded { ticket?.take()?.request.cancel() }
                return .failure(CancellationError())
            }
            let resource = self ?? address.flatMap { service?.resource(absoluteURL: $0) }
            let asked = ticket?.take().flatMap { $0.claim() ? $0 : nil }
            guard let load = asked ?? resource?.takeLoad() else {
                return .failure(RequestError(ServiceGone(), url: url))
            }
            load.generation = run.generation
            run.scratch = load
            return await load.resource.carryOut(load, run)
        }
    }

    /// The load that a paused fetch was begun for, or one of the client's own.
    private func takeLoad() -> Load {
        if let waiting = currentLoad, waiting.generation != nil, !waiting.isSent, waiting.claim() {
            return waiting
        }
        let load = Load(self, makeLoadRequest(), acceptsCached: true)
        _ = load.claim()
        adopt(load)
        return load
    }

    private func carryOut(_ load: Load, _ run: FetchRun) async -> FetchOutcome {
        await withTaskCancellationHandler {
            if load.acceptsCached, let check = checkCaches() {
                await check.value
                if run.isStopped { return .failure(CancellationError()) }
                if let found = freshFinding(for: load) {
                    // Those who are told of it are to find that the load is under way.
                    await hub.delivered()
                    (load.request as? LiveRequest)?.broadcastResponse(found)
                }
            }
            if !load.request.isCompleted, !load.isReplaced {
                hub.post(.requested, of: self)
                if load.begin() { load.send() }
            }
            return outcome(await load.end.value, load, run)
        } onCancel: {
            guard run.isSuperseded else { return load.request.cancel() }
            // The answer to a newer load is there: this one goes on for those who hold it.
            load.end.set(ResponseInfo(response: .failure(.cancelled(nil))))
        }
    }

    private func freshFinding(for load: Load) -> ResponseInfo? {
        guard load.request is LiveRequest, !load.request.isCompleted, !load.isReplaced else { return nil }
        guard isUpToDate, latestError == nil, let entity = latestData else { return nil }
        var info = ResponseInfo(response: .success(entity))
        info.isCached = true
        info.source = queryKey
        return info
    }

    private func outcome(_ info: ResponseInfo, _ load: Load, _ run: FetchRun) -> FetchOutcome {
        SiestaLog.log(.stateChanges, "\(self): \(info.summary)")
        switch info.response {
        case .failure(let error):
            return .failure(error.isCancellation ? CancellationError() : error)
        case .success where info.isCached && info.source == queryKey: return .unneeded
        case .success(let entity) where info.isNew:
            let payload = PayloadOf(entity)
            if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
            load.land(.received(payload, info.source == queryKey ? info.cacheWrites : []))
            return .value(payload)
        case .success:
            guard let validated = info.validated ?? run.previous else {
                return .failure(RequestError(RequestError.Cause.NoLocalDataFor304(), url: url))
            }
            if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
            run.previous = validated
            if info.source == queryKey { load.land(.validated(validated)) }
            return .notModified
        }
    }

    /// Observers were told: what is left is to tell the caches, and those who hold the request.
    private static func finish(_ run: FetchRun) {
        guard let load = run.scratch as? Load else { return }
        load.resource.keep(load.takeLanding(), of: run)
        // One that is to be retried goes on.
        if !run.isUnderWay {
            load.noteLanded()
            if load.isOver { load.resource.forget(load) }
        }
        load.release()
    }
}

extension Resource.State {
    /// The newest load whose answer can become the content.
    fileprivate var currentLoad: Load? { loads.last { $0.isUnderWay } }

    /// Adds the newest load. One whose request has ended waited to be tried again, and this is that.
    ///
    /// - Returns: The one that was the newest.
    fileprivate mutating func add(_ load: Load) -> Load? {
        defer {
            loads.removeAll { $0.hasEnded || $0 === load }
            loads.append(load)
        }
        return currentLoad
    }
}

/// A resource is to be loaded, and the service that knows how is gone.
struct ServiceGone: Error, CustomStringConvertible {
    var description: String { "the service of the resource is gone: keep it for as long as its resources are used" }
}
