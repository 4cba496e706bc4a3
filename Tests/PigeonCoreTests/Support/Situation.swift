import PigeonCore
import Testing

/// The states in which the table meets the entry. The clock shows 100 s.
enum Situation: String, CaseIterable, Sendable {
    /// Nothing known, nobody there.
    case empty
    /// Nothing known, one disabled observer.
    case disabled
    /// Observer 1, first load under way as generation 1.
    case loading
    /// Nobody there, one waits, first load under way as generation 1.
    case loadingForWaiter
    /// Observer 1, first load waits offline.
    case loadingOffline
    /// Observer 1, first load failed once; the retry is due at 105 s.
    case backingOff
    /// Observer 1, first load failed for good.
    case failed
    /// Observer 1, value Ann.
    case content
    /// Observer 1 who wants it fresh for 60 s, value Ann, received at 90 s.
    case fresh
    /// Nobody there, value Ann.
    case unused
    /// Observer 1, value Ann, refetch under way as generation 2.
    case refetching
    /// Observer 1, value Ann, the refetch waits offline.
    case refetchingOffline
    /// Observer 1, value Ann, the refetch failed once; the retry is due at 105 s.
    case refetchBackingOff
    /// Observer 1, value Ann, the refetch failed for good.
    case refetchFailed
    /// Observer 1, value Ann, base Ann, shown Bea by a pending mutation 7.
    case optimistic
    /// Observer 1, value Ann, the next page is loading as generation 2, one waits.
    case loadingPage
    /// Nobody there, value Ann, written; there is no fetcher.
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

/// One line of the table: in a state, on an input, the entry is left so and has this done.
struct Row: CustomTestStringConvertible, Sendable {
    let situation: Situation
    let name: String
    let input: @Sendable () -> EntryInput
    let state: String
    let effects: [String]

    init(
        _ situation: Situation, _ name: String, _ input: @autoclosure @escaping @Sendable () -> EntryInput,
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
