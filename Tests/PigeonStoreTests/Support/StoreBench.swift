import PigeonStore
import PigeonTesting
import Testing

/// A store of a list of numbers in a lab, in either shape, whose cache and origin a test holds in its hands.
final class StoreBench: Sendable {
    /// How a store is written and used.
    enum Shape: String, CaseIterable, Sendable {
        /// Factories, with publishers on both sides.
        case factories
        /// Cachers and fetchers, with `async` functions and sequences.
        case cachers
    }

    /// How a cache answers.
    enum Pace: String, CaseIterable, Sendable {
        case atOnce = "answering at once"
        case suspending = "suspending"
    }

    struct Setting: Sendable, CustomTestStringConvertible {
        var shape: Shape
        var pace = Pace.atOnce

        static let all = Shape.allCases.flatMap { shape in Pace.allCases.map { Setting(shape: shape, pace: $0) } }

        var testDescription: String { "\(shape.rawValue), \(pace.rawValue)" }
    }

    /// What is paged.
    enum Kind: Sendable {
        case plain
        case oneWay
        case twoWay
    }

    let lab: QueryLab
    let place: Place
    let origin = Origin()
    let shape: Shape
    let kind: Kind
    let manager: FlowableDataStateManager<Int>
    let cacher: any CacherOfBench

    init(_ setting: Setting, _ kind: Kind = .plain, queryKey: QueryKey = "items", in lab: QueryLab = QueryLab()) {
        self.lab = lab
        manager = FlowableDataStateManager(queryKey: queryKey)
        place = Place(isSuspending: setting.pace == .suspending)
        shape = setting.shape
        self.kind = kind
        cacher =
            switch kind {
            case .plain: PlainCacher(place, queryKey)
            case .oneWay: OneWayCacher(place, queryKey)
            case .twoWay: TwoWayCacher(place, queryKey)
            }
    }

    deinit {
        place.letGo()
        origin.letGo()
    }

    /// The store, made anew.
    var store: AnyStoreFlowable<Int, [Int]> {
        switch (shape, kind) {
        case (.factories, .plain):
            PlainFactory(place: place, origin: origin, manager: manager).create(client: lab.client)
        case (.factories, .oneWay):
            OneWayFactory(place: place, origin: origin, manager: manager).create(client: lab.client)
        case (.factories, .twoWay):
            TwoWayFactory(place: place, origin: origin, manager: manager).create(client: lab.client)
        case (.cachers, _):
            cacher.store(origin, lab.client)
        }
    }

    /// Carries through all that does not wait for the origin, for the clock, or for a function that hangs.
    func settle() {
        lab.settle()
        while place.resumeHeld() { lab.settle() }
    }

    /// Writes down the states of the store from now on.
    func watch(forceRefresh: Bool = false) -> StateLog {
        let log = StateLog()
        switch shape {
        case .factories:
            let states: LoadingStatePublisher<[Int]> = store.publish(forceRefresh: forceRefresh)
            let subscription = states.sink { log.add($0) }
            log.onCancel { subscription.cancel() }
        case .cachers:
            let states: LoadingStateSequence<[Int]> = store.publish(forceRefresh: forceRefresh)
            let reading = lab.start { for await state in states { log.add(state) } }
            log.onCancel { reading.cancel() }
        }
        return log
    }

    /// Has the origin answer, and carries through what follows.
    func answer(
        _ data: [Int], next: String? = nil, prev: String? = nil, to call: String = "fetch",
        location: SourceLocation = #_sourceLocation
    ) {
        origin.end(call, .success(Page(data: data, next: next, prev: prev)), location: location)
        settle()
    }

    /// Has the origin fail, and carries through what follows.
    func fail(
        _ error: any Error = Broken("boom"), to call: String = "fetch", location: SourceLocation = #_sourceLocation
    ) {
        origin.end(call, .failure(error), location: location)
        settle()
    }
}
