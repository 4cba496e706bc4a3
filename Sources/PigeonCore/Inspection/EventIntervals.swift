/// Pairs the events at which fetches, page loads and mutations begin and end, for tools that show how long each took.
package struct EventIntervals {
    package struct ID: Sendable, Hashable {
        /// `nil` for a mutation.
        let key: QueryKey?
        let number: UInt64
    }

    package enum Kind: Sendable, Hashable {
        case fetch
        case pageLoad(PageDirection)
        case mutation
    }

    /// The consequence of an event.
    package enum Step: Sendable, Hashable {
        case begin(ID, Kind)
        case end(ID, Kind)
        /// The event begins and ends nothing.
        case mark
    }

    private var open: [ID: Kind] = [:]

    package init() {}

    /// Returns the consequences of the next event of a client: the ends of intervals first.
    package mutating func receive(_ event: QueryEvent) -> [Step] {
        switch event.kind {
        case .removed: return end { id, _ in id.key == event.key } + [.mark]
        case .cleared where event.key == nil: return end { _, _ in true } + [.mark]
        default: break
        }
        guard let id = ID(event) else { return [.mark] }
        switch event.kind {
        case .fetching, .debounced, .paused, .loadingPage, .mutating, .mutationPaused:
            if open[id] != nil { return [.mark] }
            let kind = Kind(event)
            var postponed: [Step] = []
            if case .pageLoad = kind {
                // A refresh has postponed the page load, which continues with another number.
                postponed = end { $0.key == event.key && $1 == kind }
            }
            open[id] = kind
            return postponed + [.begin(id, kind)]
        case .fresh, .notModified, .failed, .cancelled, .dropped, .page, .pageFailed, .mutated, .mutationFailed,
            .setAside, .discarded:
            return open.removeValue(forKey: id).map { [.end(id, $0)] } ?? [.mark]
        default: return [.mark]
        }
    }

    private mutating func end(_ isMeant: (ID, Kind) -> Bool) -> [Step] {
        let ended = open.filter { isMeant($0.key, $0.value) }
        for id in ended.keys { open[id] = nil }
        return ended.map { .end($0.key, $0.value) }
    }
}

extension EventIntervals.ID {
    fileprivate init?(_ event: QueryEvent) {
        let number = event.key == nil ? event.mutationNumber : event.fetchNumber
        guard let number else { return nil }
        (key, self.number) = (event.key, number)
    }
}

extension EventIntervals.Kind {
    fileprivate init(_ event: QueryEvent) {
        switch event.kind {
        case .loadingPage(let direction, _): self = .pageLoad(direction)
        default: self = event.key == nil ? .mutation : .fetch
        }
    }
}
