public import PigeonCore

extension Resource: Loadable {
    /// What decides about the status.
    public var statusPart: ResourceStatus.Part {
        let picture = picture
        return ResourceStatus.Part(
            isLoading: isLoading, hasContent: picture?.payload != nil, latestError: picture?.requestError)
    }

    /// Loads again, however fresh it is.
    @discardableResult
    public func reload() -> any ManualLoad {
        RequestedLoad(request: load())
    }

    /// Calls `changed` now and after each event, until the subscription ends.
    public func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription {
        let observation = follow { _ in changed() }
        return QuerySubscription { [self] in hub.remove(observation, from: self) }
    }
}

/// A request that a person asked for.
private struct RequestedLoad: ManualLoad {
    let request: any Request

    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        request.onCompletion { _ in action() }
    }
}

extension StatusOverlay {
    /// Counts a request as a load that a person asked for, until it is over.
    public func trackManualLoad(_ request: any Request) {
        trackManualLoad(RequestedLoad(request: request))
    }
}
