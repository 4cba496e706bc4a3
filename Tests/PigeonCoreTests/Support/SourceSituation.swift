import PigeonCore

/// The states in which the table tests an entry whose data lives in a source. The clock shows 100 s.
enum SourceSituation: String, CaseIterable, Sendable {
    /// No value, no observer, never read.
    case unread
    /// Observer 1. The reading that it needs has not begun.
    case asked
    /// Observer 1. The reading that it needs is in flight.
    case reading
    /// Observer 1. A reading is in flight, and another one is requested, for a fetch whatever the content is.
    case readingTwice
    /// No observer, one waiting caller. A reading is in flight.
    case readingForWaiter
    /// Observer 1. The source contains Ann, which is fresh.
    case content
    /// No observer. The source contains Ann, which is fresh.
    case unused
    /// Observer 1. Ann is shown, and the source is being read again, without a demand for a fetch.
    case rereading
    /// Observer 1. The source is empty, and the resulting fetch is in flight as generation 1.
    case loading
    /// Observer 1. The source is empty, and the resulting fetch waits for the network.
    case loadingOffline
    /// Observer 1. The source is empty, and the fetch failed for good.
    case failed
    /// Observer 1. The source contains Ann, which is stale. The resulting fetch is in flight as generation 1.
    case refetching
    /// Observer 1. The source contains Ann, which is stale, and the fetch failed for good.
    case refetchFailed
    /// Observer 1, value Ann. Invalidated, and not fetched again.
    case invalidated
    /// Observer 1, value Ann. The next page is loading as generation 2, for one waiting caller.
    case loadingPage
    /// Observer 1, base Ann, shown as Bea by the pending mutation 7.
    case optimistic

    func machine(_ change: (inout QueryOptions) -> Void = { _ in }) -> Machine {
        var machine = Machine(change)
        machine.giveSource()
        machine.seconds = 100
        machine.isOnline = self != .loadingOffline
        for input in inputs(change) { machine.receive(input) }
        return machine
    }

    private func inputs(_ change: (inout QueryOptions) -> Void) -> [EntryInput] {
        let reading: [EntryInput] = [.observe(1, change), .readingBegan]
        let content = reading + [.read("Ann")]
        return switch self {
        case .unread: []
        case .asked: [.observe(1, change)]
        case .reading: reading
        case .readingTwice: reading + [.consult(.always(.requested))]
        case .readingForWaiter: [.join, .consult(.ifStale(.requested)), .readingBegan]
        case .content: content
        case .unused: content + [.detach(observer: 1)]
        case .rereading: content + [.consult(.nothing), .readingBegan]
        case .loading, .loadingOffline: reading + [.reading(.nothing)]
        case .failed: reading + [.reading(.nothing), .failure(of: 1)]
        case .refetching: reading + [.read("Ann", isStale: true)]
        case .refetchFailed: reading + [.read("Ann", isStale: true), .failure(of: 1)]
        case .invalidated: content + [.invalidate(.none)]
        case .loadingPage: content + [.loadPage(.next)]
        case .optimistic: content + [.layers(.pending(7), shown: PayloadOf("Bea"))]
        }
    }
}

typealias SourceRow = TableRow<SourceSituation>

extension EntryInput {
    /// Returns the result of a reading. `isSame` is true if it equals the shown value.
    static func read(_ value: String, isStale: Bool = false, isSame: Bool = false) -> EntryInput {
        .reading(.content(.of(value, isSame: isSame), isStale: isStale))
    }

    static var readingFailed: EntryInput { .reading(.failure(Failure(Trouble.second))) }
    static var readingBegan: EntryInput { .source(.readingBegan) }
    static var sourceEmptied: EntryInput { .source(.emptied) }
    static func consult(_ demand: Demand) -> EntryInput { .source(.consult(demand)) }
    static func reading(_ answer: SourceAnswer) -> EntryInput { .source(.reading(answer)) }

    static func sourceChanged(_ candidate: CommitCandidate?, asked: UInt64 = .max) -> EntryInput {
        .source(.change(candidate, requested: asked))
    }
}
