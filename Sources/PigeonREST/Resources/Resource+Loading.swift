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
        if let known = state.withLock({ $0.newestLoad }) {
            SiestaLog.log(.staleness, "\(self): is being loaded")
            return known.request
        }
        let status = updateStatus
        if status?.isFetching ?? false {
            // The load has completed, and the client is about to store its response.
            if let ending = client.requestBeingFetched(for: queryKey) as? Load { return ending.request }
            SiestaLog.log(.staleness, "\(self): is to be loaded again after a failure")
        } else if status?.isUpToDate ?? false {
            SiestaLog.log(.staleness, "\(self): is up to date")
            return nil
        } else {
            SiestaLog.log(.staleness, "\(self): is to be loaded")
        }
        // Whoever begins to show a resource calls this, also in an initializer that SwiftUI runs during an update (X3).
        return Attaching.through(self) { begin(Load(self, makeLoadRequest(), acceptsCached: true), .join) }
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

    /// Makes the client begin a fetch that carries a load, or join the one in flight.
    private func begin(_ load: Load, _ mode: FetchMode = .concurrent) -> any Request {
        let adopted = adopt(load, unlessLoading: mode == .join)
        if let stays = adopted.stays { return stays.request }
        do {
            let definition = adopted.definition ?? self.definition
            let carried = try client.beginFetch(definition, .requested, mode, carrying: load)
            adopted.replaced?.endReplaced()
            guard mode == .join, let other = carried as? Load, other !== load else { return load.request }
            load.request.cancel()
            load.fetchEnded(.superseded)
            return other.request
        } catch {
            load.complete(with: ResponseInfo(response: .failure(RequestError(error, url: url))))
            load.fetchEnded(.cancelled)
            return load.request
        }
    }

    /// Adds a load as the newest one.
    ///
    /// - Parameter unlessLoading: True if a load in flight is to stay the newest one.
    /// - Returns: The load that stays. Otherwise, the load that was not sent and completes as the new one, whose attempt the
    ///   caller must end once the new one has begun, and the resource's definition if it is known.
    @discardableResult
    private func adopt(
        _ load: Load, unlessLoading: Bool = false
    ) -> (stays: Load?, replaced: Load?, definition: QueryDefinition<Entity<any Sendable>>?) {
        let version = configurationVersion
        let (known, definition, observers) = state.withLock { state in
            let known = state.newestLoad
            guard known == nil || !unlessLoading else { return (known, state.definition, Roster<OwnedObservation>()) }
            state.add(load.request, load)
            let definition = state.configurationVersion == version ? state.definition : nil
            return (known, definition, state.hub.progressObservers)
        }
        if let known, unlessLoading { return (known, nil, nil) }
        load.join()
        if observers.contains(where: \.isAlive) { followProgressOfLoad() }
        guard let known, known.request !== load.request, !known.isSent else { return (nil, nil, definition) }
        // A load that has not been sent completes with the response of the load that replaces it.
        known.complete(as: load)
        return (nil, known, definition)
    }

    /// Records that the request of a load has completed.
    func completed<Result>(_ load: Load, _ change: () -> Result) -> Result {
        let (old, result) = state.withLock { ($0.remove(load.request), change()) }
        _ = old  // released outside the lock
        return result
    }

    /// Completes a load whose fetch has ended before the request was sent.
    func completeUnsent(_ load: Load, _ end: FetchEnd) {
        var error = RequestError.cancelled(nil)
        switch end {
        case .superseded: if let newest = state.withLock({ $0.newestLoad }) { return load.complete(as: newest) }
        case .failed(let reason): error = RequestError(reason, url: url)
        case .answered, .cancelled: break
        }
        guard let live = load.live else { return load.request.cancel() }
        live.broadcastResponse(freshFinding(for: load) ?? ResponseInfo(response: .failure(error)))
    }

    /// Starts to report the progress of the newest load to the observers that want it, unless it is reported already.
    func followProgressOfLoad() {
        let found = state.withLock { state in
            state.newestLoad.flatMap { $0.beginReportingProgress() ? $0 : nil }
        }
        guard let load = found else { return }
        load.live?.followProgress { [weak self, weak load] progress in
            // The progress of an older load could be lower than the progress that was reported last.
            guard let self, let load, state.withLock({ $0.isNewest(load) }) else { return }
            post(progress: progress)
        }
    }

    // MARK: The client's fetches

    /// The definition with which the client fetches and observes the resource. Pass it to functions such as
    /// `QueryClient.fetch`, `observe` and `prefetch`.
    public var definition: QueryDefinition<Entity<any Sendable>> {
        let current = configurationVersion
        let (known, version, readable) = state.withLock { ($0.definition, $0.configurationVersion, $0.readable) }
        if let known, version == current { return known }
        let (configuration, madeOf) = configurationAndVersion(for: .get)
        var made = QueryDefinition<Entity<any Sendable>>(key: queryKey, fetcher: makeFetcher())
        made.overrides = configuration.optionOverrides(fetchesOnAttach: false)
        made = readable?.amend(made) ?? made
        state.withLock { state in
            if state.configurationVersion == madeOf { state.definition = made }
        }
        return made
    }

    /// Returns a fetcher that retains neither the resource nor the service, because the client retains it.
    private func makeFetcher() -> AnyFetcher {
        let address = wrongAddress == nil ? url : nil
        return AnyFetcher { [weak self, weak service, url] run, refusal in
            if let load = run.request as? Load { return load.resource.carryOut(load, run, refusal) }
            guard !run.isStopped else { return }
            guard let resource = self ?? address.flatMap({ service?.resource(absoluteURL: $0) }) else {
                return run.end(with: .failure(RequestError(ServiceGone(), url: url)))
            }
            let load = Load(resource, resource.makeLoadRequest(), acceptsCached: true)
            let replaced = resource.adopt(load).replaced
            let carried = run.carry(load)
            replaced?.endReplaced()
            if let carried, !(carried is Load) {
                load.noteUncarried()
                return resource.carryOut(load, run, refusal)
            }
            if carried !== load {
                load.request.cancel()
                load.fetchEnded(.superseded)
            }
            if let carried = carried as? Load { resource.carryOut(carried, run, refusal) }
        }
    }

    /// Sends the request of a load, unless persistent caches have content that is up to date.
    ///
    /// - Parameter refusal: An error with which the load ends at once.
    private func carryOut(_ load: Load, _ run: FetchRun, _ refusal: (any Error)?) {
        switch load.take(for: run) {
        case .over: return
        case .completed(let info, let content): return end(run, with: info, content)
        case .replaced: return load.endReplaced()
        case .toBeSent: break
        }
        if let error = refusal {
            return load.complete(with: ResponseInfo(response: .failure(RequestError(error, url: url))))
        }
        guard load.acceptsCached, let check = checkCaches() else { return send(load) }
        launchImmediately { [self] in
            await check.value
            if let found = freshFinding(for: load) {
                // Observers that are notified of the content must find that the load is in flight.
                await delivered()
                load.live?.broadcastResponse(found)
            }
            if !run.isStopped, !load.isNotToBeSent { send(load) }
        }
    }

    private func send(_ load: Load) {
        if load.live == nil && load.request.isCompleted { return }
        post(.requested)
        load.send()
    }

    private func freshFinding(for load: Load) -> ResponseInfo? {
        guard load.live != nil, !load.isNotToBeSent else { return nil }
        guard isUpToDate, latestError == nil, let entity = latestData else { return nil }
        var info = ResponseInfo(response: .success(entity))
        info.isCached = true
        info.source = queryKey
        return info
    }

    /// Ends an attempt with the response to the load's request.
    ///
    /// - Parameter content: The content of the response, if it has any.
    func end(_ run: FetchRun, with info: ResponseInfo, _ content: Payload?) {
        SiestaLog.log(.stateChanges, "\(self): \(info.summary)")
        if let freshFor = info.freshFor { run.noteFresh(for: freshFor) }
        switch info.response {
        case .failure(let error): run.end(with: .failure(error.isCancellation ? CancellationError() : error))
        case .success where info.isCached && info.source == queryKey: run.end(with: .unneeded)
        case .success where info.isNew: run.end(with: content.map { .value($0) } ?? .unneeded)
        case .success:
            if let content { run.previous = content }
            guard run.previous == nil else { return run.end(with: .notModified) }
            run.end(with: .failure(RequestError(RequestError.Cause.NoLocalDataFor304(), url: url)))
        }
    }
}

extension ResponseInfo {
    /// The content to be stored, or the content that the server has confirmed.
    var content: Payload? {
        guard isNew, case .success(let entity) = response else { return validated }
        return PayloadOf(entity)
    }
}

extension Resource.State {
    /// The newest load in flight whose response can become the content.
    var newestLoad: Load? { requests.last { $0.load?.isCurrent ?? false }?.load }

    fileprivate func isNewest(_ load: Load) -> Bool { requests.last { $0.load != nil }?.load === load }
}

struct ServiceGone: Error, CustomStringConvertible {
    var description: String { "the service of the resource is gone: keep it for as long as its resources are used" }
}
