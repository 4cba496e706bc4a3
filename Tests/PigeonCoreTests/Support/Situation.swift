import PigeonCore
import Testing

/// The states in which the table tests the entry. The clock shows 100 s.
enum Situation: String, CaseIterable, Sendable {
    /// No value, no observer.
    case empty
    /// No value, one disabled observer.
    case disabled
    /// Observer 1. The first load is in flight as generation 1.
    case loading
    /// No observer, one waiting caller. The first load is in flight as generation 1.
    case loadingForWaiter
    /// Observer 1. The first load waits for the network.
    case loadingOffline
    /// Observer 1. The first load failed once, and the retry is due at 105 s.
    case backingOff
    /// Observer 1. The first load failed for good.
    case failed
    /// Observer 1, value Ann.
    case content
    /// Observer 1 with a stale time of 60 s, value Ann, received at 90 s.
    case fresh
    /// No observer, value Ann.
    case unused
    /// Observer 1, value Ann. A refetch is in flight as generation 2.
    case refetching
    /// Observer 1, value Ann. The refetch waits for the network.
    case refetchingOffline
    /// Observer 1, value Ann. The refetch failed once, and the retry is due at 105 s.
    case refetchBackingOff
    /// Observer 1, value Ann. The refetch failed for good.
    case refetchFailed
    /// Observer 1, base Ann, shown as Bea by the pending mutation 7.
    case optimistic
    /// Observer 1, value Ann. The next page is loading as generation 2, for one waiting caller.
    case loadingPage
    /// No observer, no fetcher. The value Ann was written.
    case written

    func machine(_ change: (inout QueryOptions) -> Void = { _ in }) -> Machine {
        var machine = Machine(change)
        machine.seconds = self == .fresh ? 90 : 100
        machine.isOnline = self != .loadingOffline
        if self == .written { machine.giveNoFetcher() }
        for input in inputs(change) {
            if case .fetch = input, self == .refetchingOffline { machine.isOnline = false }
            machine.receive(input)
        }
        machine.seconds = 100
        return machine
    }

    private func inputs(_ change: (inout QueryOptions) -> Void) -> [EntryInput] {
        let landed: [EntryInput] = [.observe(1, change), .value("Ann", of: 1)]
        return switch self {
        case .empty: []
        case .disabled: [.observeDisabled()]
        case .loading, .loadingOffline: [.observe(1, change)]
        case .loadingForWaiter: [.join, .fetchNow]
        case .backingOff: [.observe(1, change), .failure(of: 1, retryIn: .seconds(5))]
        case .failed: [.observe(1, change), .failure(of: 1)]
        case .content: landed
        case .fresh:
            [
                .observe(1) {
                    change(&$0)
                    $0.staleAfter = .seconds(60)
                }, .value("Ann", of: 1),
            ]
        case .unused: landed + [.detach(observer: 1)]
        case .refetching, .refetchingOffline: landed + [.refetchNow]
        case .refetchBackingOff: landed + [.refetchNow, .failure(of: 2, retryIn: .seconds(5))]
        case .refetchFailed: landed + [.refetchNow, .failure(of: 2)]
        case .optimistic: landed + [.layers(.pending(7), shown: PayloadOf("Bea"))]
        case .loadingPage: landed + [.loadPage(.next)]
        case .written: [.write("Ann")]
        }
    }
}

typealias Row = TableRow<Situation>

/// One row of a table: a state, an input, and the resulting state and effects.
struct TableRow<Start: Sendable>: CustomTestStringConvertible, Sendable {
    let situation: Start
    let name: String
    let input: @Sendable () -> EntryInput
    let state: String
    let effects: [String]

    init(
        _ situation: Start, _ name: String, _ input: @autoclosure @escaping @Sendable () -> EntryInput,
        _ state: String, _ effects: String...
    ) {
        self.situation = situation
        self.name = name
        self.input = input
        self.state = state
        self.effects = effects
    }

    var testDescription: String { "\(situation), \(name)" }

    func check(_ machine: Machine, sourceLocation: SourceLocation = #_sourceLocation) {
        var machine = machine
        let effects = machine.receive(input())
        #expect(effects == self.effects, sourceLocation: sourceLocation)
        #expect(machine.state == state, sourceLocation: sourceLocation)
    }
}
