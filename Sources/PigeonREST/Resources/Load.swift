internal import PigeonBase
internal import PigeonCore

/// One load of a resource: the request that brings its content, and what becomes of the answer.
final class Load: Sendable {
    /// What is to be done once the answer has landed.
    enum Landing: Sendable {
        case nothing
        case received(Payload, [CacheWrite])
        case validated(Payload)
    }

    let resource: Resource
    let request: any Request
    /// Whether what is found in a persistent cache will do.
    let acceptsCached: Bool
    let end = Outcome()
    private let landing = Locked(Landing.nothing)

    init(_ resource: Resource, _ request: any Request, acceptsCached: Bool = false) {
        self.resource = resource
        self.request = request
        self.acceptsCached = acceptsCached
    }

    var isCancelled: Bool { (request as? LiveRequest)?.info?.isCancellation ?? false }

    /// Whether its answer is still to come, or has come and is about to land.
    func isRunning(isLanding: Bool) -> Bool {
        request.state != .completed || (isLanding && !isCancelled)
    }

    func land(_ new: Landing) {
        let old = landing.withLock { landing in
            defer { landing = new }
            return landing
        }
        _ = old
    }

    func takeLanding() -> Landing {
        landing.withLock { landing in
            defer { landing = .nothing }
            return landing
        }
    }
}

/// Hands a load to the fetch that is begun for it: once, so that a later fetch makes a load of its own.
final class LoadTicket: Sendable {
    private let load: Locked<Load?>

    init(_ load: Load) {
        self.load = Locked(load)
    }

    func take() -> Load? {
        load.withLock { load in
            defer { load = nil }
            return load
        }
    }
}
