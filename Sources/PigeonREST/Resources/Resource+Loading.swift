internal import Foundation
internal import PigeonBase
public import PigeonCore

extension Resource {
    /// Loads the content from the server, even if a load is in flight already.
    ///
    /// The request includes the validators of the current content, so that the server can respond that it has not
    /// changed. If several loads are in flight, each response is shown, unless the response to a later load is shown
    /// already.
    ///
    /// - Returns: The request, which has been started.
    @discardableResult
    public func load() -> any Request {
        begin(Load(self, makeLoadRequest()))
    }

    /// Loads the content from the server, unless it is up to date.
    ///
    /// Content from a persistent cache is shown first. If it is up to date, no request is sent.
    ///
    /// - Returns: The request of the load, or of the load in flight if there is one. If an attempt has failed, and the
    ///   client waits to retry it, the request of the retry. `nil` if nothing needs to be loaded.
    @discardableResult
    public func loadIfNeeded() -> (any Request)? {
        let (known, retried) = state.withLock { ($0.loads.current, $0.loads.retried) }
        let updateStatus = updateStatus
        let isFetching = updateStatus?.isFetching ?? false
        if let retried, isFetching {
            SiestaLog.log(.staleness, "\(self): is to be loaded again after a failure")
            return joinRetry(of: retried, replacing: known?.load)
        }
        if let known, known.isBeginning || isFetching {
            SiestaLog.log(.staleness, "\(self): is being loaded")
            return known.load.request
        }
        if updateStatus?.isUpToDate ?? false {
            SiestaLog.log(.staleness, "\(self): is up to date")
            return nil
        }
        SiestaLog.log(.staleness, "\(self): is to be loaded")
        // Whoever begins to show a resource calls this, also in an initializer that SwiftUI runs during an update (X3).
        return Attaching.through(self) {
            begin(Load(self, makeLoadRequest(), acceptsCached: true)) { $0.load === known?.load }
        }
    }

    /// Starts a request, and shows its result as the content of this resource. The request can have any method, and can
    /// belong to another resource.
    ///
    /// ```swift
    /// profile.load(using: profile.request(.put, json: changes))
    /// ```
    ///
    /// Persistent caches keep only what this resource's own GET loads receive. Other content that is stored removes the
    /// resource from them.
    @discardableResult
    public func load(using request: any Request) -> any Request {
        begin(Load(self, request))
    }

    func makeLoadRequest() -> any Request {
        makeRequest(.get, isLoad: true)
    }

    /// Makes the client begin a fetch for a load, unless the current newest load must stay. All callers then share that
    /// load.
    ///
    /// Observers are notified in the caller's own task. Within the tasks in which fetches run, a caller on the main
    /// actor could not be recognized.
    ///
    /// - Parameter replaces: Returns false if the current newest load must stay.
    private func begin(_ load: Load, ifReplacing replaces: (Loads.Current) -> Bool = { _ in true }) -> any Request {
        let adopted = adopt(load, byCaller: true, ifReplacing: replaces)
        if let stays = adopted.stays { return stays.request }
        var definition = adopted.definition ?? self.definition
        definition.fetcher = makeFetcher(load)
        do {
            try client.beginFetch(definition, .requested) { load.belong(to: $0) }
        } catch {
            complete(load, with: ResponseInfo(response: .failure(RequestError(error, url: url))))
        }
        if adopted.isCallerPresent, deliverReserved(after: { $0.loads.callerLeaves(load) }) { load.send() }
        return load.request
    }

    /// Adds a load for the next attempt of a fetch that waits to be retried, unless there is a newer load than `known`.
    private func joinRetry(of generation: UInt64, replacing known: Load?) -> any Request {
        let load = Load(self, makeLoadRequest(), acceptsCached: true, of: generation)
        if let stays = adopt(load, byCaller: false, ifReplacing: { $0.load === known }).stays { return stays.request }
        // The client may end the fetch without another attempt, for example if nobody observes the entry any more.
        let events = client.onEvent { [weak load, queryKey] event in
            if let load, event.key == nil || event.key == queryKey { load.resource.completeIfAbandoned(load) }
        }
        load.request.followToEnd { _ in events.cancel() }
        completeIfAbandoned(load)
        return load.request
    }

    /// Completes a load whose fetch has ended without an attempt that would carry out the load.
    private func completeIfAbandoned(_ load: Load) {
        guard load.isUnclaimed, !(updateStatus?.isFetching ?? false) else { return }
        let failure = ResponseInfo(response: .failure(latestError ?? RequestError.cancelled(nil)))
        complete(load, with: freshFinding(for: load) ?? failure)
    }

    private func complete(_ load: Load, with info: ResponseInfo) {
        if let live = load.live { live.broadcastResponse(info) } else { load.request.cancel() }
        _ = state.withLock { $0.loads.remove(load) }
        load.release()
    }

    /// Adds a load as the newest one, unless the current newest load must stay.
    ///
    /// - Parameter isByCaller: True if the program begins the load, false if the client does.
    @discardableResult
    private func adopt(
        _ load: Load, byCaller isByCaller: Bool, ifReplacing replaces: (Loads.Current) -> Bool = { _ in true }
    ) -> Adoption {
        let version = configurationVersion
        let adopted = state.withLock { $0.adopt(load, byCaller: isByCaller, version, ifReplacing: replaces) }
        guard adopted.stays == nil else { return adopted }
        load.join { [weak self, weak load] info in
            if let self, let load { end(load, info) }
        }
        if adopted.progressObservers.contains(where: \.isAlive) { followProgressOfLoad() }
        // A load that has not been sent completes with the response of the load that replaces it.
        if let old = adopted.replaced, old.request !== load.request, !old.isSent { old.end(as: load) }
        return adopted
    }

    private func end(_ load: Load, _ info: ResponseInfo) {
        let (ended, requests) = state.withLock { ($0.loads.end(load, info), $0.remove(load.request)) }
        _ = requests  // released outside the lock
        if let generation = ended.generation { client.cancelFetch(generation, of: queryKey) }
        if let run = ended.run { finish(load, with: info, run) }
        if info.isCancellation { load.release() }
    }

    /// Starts to report the progress of the newest load to the observers that want it, unless it is reported already.
    func followProgressOfLoad() {
        guard let load = state.withLock({ $0.loads.beginReportingProgress() }) else { return }
        load.live?.followProgress { [weak self, weak load] progress in
            // The progress of an older load could be lower than the progress that was reported last.
            guard let self, let load, state.withLock({ $0.loads.all.last === load }) else { return }
            post(progress: progress)
        }
    }

    // MARK: The client's fetches

    /// The definition with which the client fetches and observes the resource. Pass it to functions such as
    /// `QueryClient.fetch`, `observe` and `prefetch`.
    public var definition: QueryDefinition<Entity<any Sendable>> {
        let current = configurationVersion
        let (known, readable) = state.withLock { ($0.definition(of: current), $0.readable) }
        if let known { return known }
        let (configuration, version) = configurationAndVersion(for: .get)
        var made = QueryDefinition<Entity<any Sendable>>(key: queryKey, fetcher: makeFetcher(nil))
        made.changes = configuration.optionChanges(fetchesOnAttach: false)
        made = readable?.amend(made) ?? made
        state.withLock { state in
            if state.configurationVersion == version { state.definition = made }
        }
        return made
    }

    /// Returns a fetcher that retains neither the resource nor the service, because the client retains it.
    ///
    /// - Parameter load: The load of the first fetch. Later fetches create their own loads.
    private func makeFetcher(_ load: Load?) -> AnyFetcher {
        let address = wrongAddress == nil ? url : nil
        return AnyFetcher { [weak self, weak service, weak load, url] run, refusal in
            if let load, let claim = load.claim(for: run) { return load.resource.carryOut(load, claim, run, refusal) }
            guard !run.isStopped else { return }
            guard let resource = self ?? address.flatMap({ service?.resource(absoluteURL: $0) }) else {
                return run.end(with: .failure(RequestError(ServiceGone(), url: url)))
            }
            let (load, claim) = resource.takeLoad(for: run)
            resource.carryOut(load, claim, run, refusal)
        }
    }

    /// Returns the load that waits for the attempt, because the fetch was paused or is retried. Otherwise returns a new
    /// load.
    private func takeLoad(for run: FetchRun) -> (Load, Load.Claim) {
        if let waiting = state.withLock({ $0.loads.waiting }), !waiting.isSent, let claim = waiting.claim(for: run) {
            return (waiting, claim)
        }
        let load = Load(self, makeLoadRequest(), acceptsCached: true)
        let claim = load.claim(for: run) ?? .taken
        adopt(load, byCaller: false)
        return (load, claim)
    }

    /// Sends the request of a load, unless persistent caches have content that is up to date.
    ///
    /// - Parameter refusal: An error with which the load ends at once.
    private func carryOut(_ load: Load, _ claim: Load.Claim, _ run: FetchRun, _ refusal: (any Error)?) {
        let isWanted = run.onStop { [weak load, weak run] in
            guard let load else { return }
            guard run?.isSuperseded ?? false else { return load.request.cancel() }
            // The response to a newer load has been stored. This request continues for the callers that hold it.
            load.finish(ResponseInfo(response: .failure(.cancelled(nil))))
        }
        guard isWanted else { return }
        if let error = refusal, case .taken = claim {
            let info = ResponseInfo(response: .failure(RequestError(error, url: url)))
            return if let live = load.live { live.broadcastResponse(info) } else { load.finish(info) }
        }
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
                // Observers that are notified of the content must find that the load is in flight.
                await delivered()
                load.live?.broadcastResponse(found)
            }
            send(load, unless: run.isStopped || load.isNotToBeSent)
        }
    }

    private func send(_ load: Load, unless isNotToBeSent: Bool) {
        if isNotToBeSent || load.live == nil && load.request.isCompleted { return }
        if post(.requested, after: { $0.loads.becomeReady(load) }) { load.send() }
    }

    private func freshFinding(for load: Load) -> ResponseInfo? {
        guard load.live != nil, !load.isNotToBeSent else { return nil }
        guard isUpToDate, latestError == nil, let entity = latestData else { return nil }
        var info = ResponseInfo(response: .success(entity))
        info.isCached = true
        info.source = queryKey
        return info
    }

    /// Ends an attempt with the response to the load's request. Then updates the caches, and lets the hooks of the
    /// request run.
    func finish(_ load: Load, with info: ResponseInfo, _ run: FetchRun) {
        SiestaLog.log(.stateChanges, "\(self): \(info.summary)")
        var committed: Payload?
        if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
        switch info.response {
        case .failure(let error): run.end(with: .failure(error.isCancellation ? CancellationError() : error))
        case .success where info.isCached && info.source == queryKey: run.end(with: .unneeded)
        case .success(let entity) where info.isNew:
            let payload = PayloadOf(entity)
            committed = payload
            run.end(with: .value(payload))
        case .success:
            committed = info.validated ?? run.previous
            run.previous = committed
            run.end(
                with: committed == nil
                    ? .failure(RequestError(RequestError.Cause.NoLocalDataFor304(), url: url)) : .notModified)
        }
        let isRetried = committed == nil && run.isUnderWay
        let (old, isReleased) = state.withLock { $0.loads.land(load, isRetried: isRetried) }
        if let committed { updateCaches(committed, info, run) }
        if isReleased { load.live?.release() }
        _ = old  // released outside the lock
    }
}

/// The result of adding a load to those of a resource.
private struct Adoption {
    /// The newest load, if it must stay. Nothing was added then.
    var stays: Load?
    /// The load that was the newest one until now.
    var replaced: Load?
    /// The previous loads, to be released outside the lock.
    var old: [Load] = []
    var progressObservers = Roster<OwnedObservation>()
    /// The definition of the resource, if it is known.
    var definition: QueryDefinition<Entity<any Sendable>>?
    /// True if the caller must deliver the events of the load, and send it if it is ready by then.
    var isCallerPresent = false
}

extension Resource.State {
    /// Adds the newest load and its request, unless the current newest load must stay.
    fileprivate mutating func adopt(
        _ load: Load, byCaller isByCaller: Bool, _ version: UInt64, ifReplacing replaces: (Loads.Current) -> Bool
    ) -> Adoption {
        let current = loads.current
        if let current, !replaces(current) { return Adoption(stays: current.load) }
        add(load.request)
        let isCallerPresent = isByCaller && hub.reserveDelivering()
        return Adoption(
            replaced: current?.load, old: loads.add(load, isCallerPresent: isCallerPresent),
            progressObservers: hub.progressObservers, definition: definition(of: version),
            isCallerPresent: isCallerPresent)
    }

    fileprivate func definition(of version: UInt64) -> QueryDefinition<Entity<any Sendable>>? {
        configurationVersion == version ? definition : nil
    }
}

struct ServiceGone: Error, CustomStringConvertible {
    var description: String { "the service of the resource is gone: keep it for as long as its resources are used" }
}
