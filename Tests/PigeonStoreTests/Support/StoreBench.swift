import PigeonStore
import PigeonTesting
import Testing

/// A store of a list of numbers in a lab, in either shape. A test controls its cache and its origin.
final class StoreBench: Sendable {
    /// The API with which a store is written and used.
    enum Shape: String, CaseIterable, Sendable {
        /// Factories and publishers.
        case factories
        /// Cachers and fetchers, with `async` functions and sequences.
        case cachers
    }

    /// The pace of the answers of a cache.
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

    /// The directions in which the list grows.
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
            case .oneWay, .twoWay: PagedCacher(place, queryKey, kind)
            }
    }

    deinit {
        place.letGo()
        origin.letGo()
    }

    /// The store, created again for each access.
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

    /// Runs all work that does not wait for the origin, the clock, or a function that hangs.
    func settle() {
        lab.settle()
        while place.resumeHeld() { lab.settle() }
    }

    /// Records the states of the store, beginning with the current one.
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

    /// Answers a call of the origin, and runs the resulting work.
    func answer(
        _ data: [Int], next: String? = nil, prev: String? = nil, to call: String = "fetch",
        location: SourceLocation = #_sourceLocation
    ) {
        origin.end(call, .success(Page(data: data, next: next, prev: prev)), location: location)
        settle()
    }

    /// Fails a call of the origin, and runs the resulting work.
    func fail(
        _ error: any Error = Broken("boom"), to call: String = "fetch", location: SourceLocation = #_sourceLocation
    ) {
        origin.end(call, .failure(error), location: location)
        settle()
    }
}
