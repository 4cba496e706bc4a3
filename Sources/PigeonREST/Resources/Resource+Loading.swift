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
        let known = state.withLock { $0.loads.current }
        let standing = standing
        if let known, known.isBeginning || (standing?.isFetching ?? false && !known.isCancelled) {
            SiestaLog.log(.staleness, "\(self): is being loaded")
            return known.load.request
        }
        if standing?.isUpToDate ?? false {
            SiestaLog.log(.staleness, "\(self): is up to date")
            return nil
        }
        SiestaLog.log(.staleness, "\(self): is to be loaded")
        return begin(Load(self, makeLoadRequest(), acceptsCached: true), inPlaceOf: known?.load)
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

    /// The same, unless another caller began a load meanwhile: then that load is everybody's.
    private func begin(_ load: Load, inPlaceOf known: Load?) -> any Request {
        adopt(load) { $0.load === known || $0.isCancelled }.map(\.request) ?? fetch(load)
    }

    private func fetch(_ load: Load) -> any Request {
        do {
            let definition = definition(fetcher: makeFetcher(load), configuration)
            let isDelivered = try hub.deliverAfter(of: self) {
                try client.beginFetch(definition, .requested) { load.generation = $0 }
            }
            if isDelivered {
                if load.callerLeaves() { load.send() }
            } else {
                _ = load.callerLeaves()
                try client.beginFetch(definition, .requested) { load.generation = $0 }
            }
        } catch {
            load.live?.broadcastResponse(ResponseInfo(response: .failure(RequestError(error, url: url))))
            _ = state.withLock { $0.loads.remove(load) }
            load.release()
        }
        return load.request
    }

    /// Makes a load the newest.
    ///
    /// - Parameter replaces: Returns false for a load that is to stay the newest.
    /// - Returns: The load that stayed. `nil` if there is none.
    @discardableResult
    private func adopt(_ load: Load, ifReplacing replaces: (Loads.Current) -> Bool = { _ in true }) -> Load? {
        let (current, old) = state.withLock { state -> (Load?, [Load]?) in
            guard let current = state.loads.current else { return (nil, state.add(load)) }
            return (current.load, replaces(current) ? state.add(load) : nil)
        }
        guard old != nil else { return current }  // what it holds is released outside of the lock
        load.join { [weak self, weak load] info in
            if let self, let load { end(load, info) }
        }
        followProgressOfLoad()
        // A load that was never sent ends as the one that is sent in its place.
        if let current, current.request !== load.request, !current.isSent { current.end(as: load) }
        return nil
    }

    /// The request of a load has ended.
    private func end(_ load: Load, _ info: ResponseInfo) {
        let (ended, requests) = state.withLock { ($0.loads.end(load, info), $0.remove(load.request)) }
        _ = requests  // released outside of the lock
        if let generation = ended.generation { client.cancelFetch(generation, of: queryKey) }
        if let run = ended.run { finish(load, with: info, run) }
        if info.isCancellation { load.release() }
    }

    /// Notifies the observers that want it of how far the newest load has come, if there is one and nobody does yet.
    func followProgressOfLoad() {
        guard hub.wantsProgress, let load = state.withLock({ $0.loads.current?.load }), load.beginReportingProgress()
        else { return }
        load.live?.followProgress { [weak self, weak load] progress in
            // The progress of an older load would go back.
            guard let self, let load, state.withLock({ $0.loads.all.last === load }) else { return }
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

    private func definition(
        fetcher: AnyFetcher, _ configuration: Configuration
    ) -> QueryDefinition<Entity<any Sendable>> {
        var definition = QueryDefinition<Entity<any Sendable>>(key: queryKey, fetcher: fetcher)
        definition.changes = configuration.optionChanges(fetchesOnAttach: false)
        return state.withLock { $0.readable }?.amend(definition) ?? definition
    }

    /// The client retains a fetcher, so a fetcher retains neither the resource nor the service.
    ///
    /// - Parameter load: The load that the first fetch is for. Later ones make loads of their own.
    private func makeFetcher(_ load: Load?) -> AnyFetcher {
        let address = wrongAddress == nil ? url : nil
        return AnyFetcher { [weak self, weak service, weak load, url] run in
            if let load, let claim = load.claim(for: run) { return load.resource.carryOut(load, claim, run) }
            guard !run.isStopped else { return }
            guard let resource = self ?? address.flatMap({ service?.resource(absoluteURL: $0) }) else {
                return run.end(with: .failure(RequestError(ServiceGone(), url: url)))
            }
            let (load, claim) = resource.takeLoad(for: run)
            resource.carryOut(load, claim, run)
        }
    }

    /// The load that a paused fetch was begun for, or one of the client's own.
    private func takeLoad(for run: FetchRun) -> (Load, Load.Claim) {
        if let waiting = state.withLock({ $0.loads.waiting }), !waiting.isSent, let claim = waiting.claim(for: run) {
            return (waiting, claim)
        }
        let load = Load(self, makeLoadRequest(), acceptsCached: true)
        let claim = load.claim(for: run) ?? .taken
        _ = load.callerLeaves()
        adopt(load)
        return (load, claim)
    }

    /// Has the request of a load sent, unless persistent caches have content that is up to date.
    private func carryOut(_ load: Load, _ claim: Load.Claim, _ run: FetchRun) {
        let isWanted = run.onStop { [weak load, weak run] in
            guard let load else { return }
            guard run?.isSuperseded ?? false else { return load.request.cancel() }
            // The answer to a newer load is there. This one goes on for those that hold its request.
            load.finish(ResponseInfo(response: .failure(.cancelled(nil))))
        }
        guard isWanted else { return }
        let isReplaced: Bool
        switch claim {
        case .ended(let info): return load.finish(info)
        case .replaced: isReplaced = true
        case .taken: isReplaced = false
        }
        guard load.acceptsCached, let check = checkCaches() else { return send(load, unless: isReplaced) }
        launchImmediately { [self] in
            await check.value
            if let found = freshFinding(for: load) {
                // Observers that are notified of the content are to find that the load is under way.
                await hub.delivered()
                load.live?.broadcastResponse(found)
            }
            send(load, unless: run.isStopped || load.isNotToBeSent)
        }
    }

    private func send(_ load: Load, unless isNotToBeSent: Bool) {
        if isNotToBeSent || load.live == nil && load.request.isCompleted { return }
        hub.post(.requested, of: self)
        if load.isToBeSentByFetch() { load.send() }
    }

    private func freshFinding(for load: Load) -> ResponseInfo? {
        guard load.live != nil, !load.isNotToBeSent else { return nil }
        guard isUpToDate, latestError == nil, let entity = latestData else { return nil }
        var info = ResponseInfo(response: .success(entity))
        info.isCached = true
        info.source = queryKey
        return info
    }

    /// Ends an attempt as the request of its load did. Then notifies the caches, and the hooks of the request.
    func finish(_ load: Load, with info: ResponseInfo, _ run: FetchRun) {
        SiestaLog.log(.stateChanges, "\(self): \(info.summary)")
        var landed: Payload?
        if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
        switch info.response {
        case .failure(let error): run.end(with: .failure(error.isCancellation ? CancellationError() : error))
        case .success where info.isCached && info.source == queryKey: run.end(with: .unneeded)
        case .success(let entity) where info.isNew:
            let payload = PayloadOf(entity)
            landed = payload
            run.end(with: .value(payload))
        case .success:
            landed = info.validated ?? run.previous
            run.previous = landed
            run.end(
                with: landed == nil
                    ? .failure(RequestError(RequestError.Cause.NoLocalDataFor304(), url: url)) : .notModified)
        }
        let isOver = !run.isUnderWay  // else it is to be tried again
        let (old, isReleased) = state.withLock { $0.loads.land(load, isOver: isOver) }
        if let landed, info.source == queryKey {
            if info.isNew { keep(landed, info.cacheWrites, of: run) } else { touch(landed, of: run) }
        }
        if isReleased { load.live?.release() }
        _ = old  // released outside of the lock
    }
}

extension Resource.State {
    /// Adds the newest load, and its request.
    ///
    /// - Returns: What is to be released outside of the lock.
    fileprivate mutating func add(_ load: Load) -> [Load] {
        add(load.request)
        return loads.add(load)
    }
}

/// A resource is to be loaded, and the service that knows how is gone.
struct ServiceGone: Error, CustomStringConvertible {
    var description: String { "the service of the resource is gone: keep it for as long as its resources are used" }
}
