import PigeonStore
import PigeonTesting
import Testing

/// A lab with stores of numbers: of one piece of data, or of a list that grows page by page. A test answers their origin.
/// Their cache is a ``Place``, which the test controls, or in memory.
final class StoreLab: Sendable {
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
    let origin: Origin<Page>
    let place: Place
    let shape: Shape
    let kind: Kind
    let cacher: TwoWayPaginationCacher<Int, Int>
    private let manager: FlowableDataStateManager<Int>

    /// - Parameter cacher: The cacher of the stores. By default, it caches in ``place``.
    init(
        _ setting: Setting, _ kind: Kind = .plain, queryKey: QueryKey = "items",
        cacher: TwoWayPaginationCacher<Int, Int>? = nil, in lab: QueryLab = QueryLab()
    ) {
        let place = Place(isSuspending: setting.pace == .suspending)
        self.lab = lab
        self.place = place
        self.kind = kind
        self.cacher = cacher ?? PlaceCacher(place, queryKey)
        origin = Origin(lab)
        shape = setting.shape
        manager = FlowableDataStateManager(queryKey: queryKey)
    }

    /// Creates a lab whose lists are in memory, at the path `lists`.
    convenience init() {
        self.init(
            Setting(shape: .cachers),
            cacher: TwoWayPaginationCacher<Int, Int>(expireSeconds: .infinity, queryKey: "lists"))
    }

    deinit {
        place.letGo()
        origin.letGo()
    }

    // MARK: Stores

    /// The store of the lab's shape and kind, created again for each access.
    var store: AnyStoreFlowable<Int, [Int]> {
        switch (shape, kind) {
        case (.factories, .plain):
            PlainFactory(place: place, origin: origin, flowableDataStateManager: manager).create(client: lab.client)
        case (.factories, .oneWay):
            OneWayFactory(place: place, origin: origin, flowableDataStateManager: manager).create(client: lab.client)
        case (.factories, .twoWay):
            TwoWayFactory(place: place, origin: origin, flowableDataStateManager: manager).create(client: lab.client)
        case (.cachers, .plain):
            .from(cacher: cacher, fetcher: WholeFetcher(origin: origin), param: 1, client: lab.client)
        case (.cachers, .oneWay): list(.directions)
        case (.cachers, .twoWay): twoWayList(.directions)
        }
    }

    /// Makes the store of a list that grows at its end, with a cacher.
    func list(_ names: PageNames = .keys) -> AnyPaginationStoreFlowable<Int, [Int]> {
        AnyStoreFlowable.from(
            cacher: cacher as PaginationCacher<Int, Int>, fetcher: ListFetcher(origin: origin, names: names), param: 1,
            client: lab.client)
    }

    /// Makes the store of a list that grows at both sides, with a cacher.
    func twoWayList(_ names: PageNames = .keys) -> AnyTwoWayPaginationStoreFlowable<Int, [Int]> {
        AnyStoreFlowable.from(
            cacher: cacher, fetcher: TwoWayListFetcher(origin: origin, names: names), param: 1, client: lab.client)
    }

    // MARK: Work

    /// Runs all work that does not wait for the origin, the clock, or a function that hangs.
    func settle() {
        lab.settle()
        while place.resumeHeld() { lab.settle() }
    }

    /// Carries out the work that other threads start, until a condition holds.
    func wait(until isSo: () -> Bool) async {
        while !isSo(), !Task.isCancelled {
            settle()
            await Task.yield()
        }
    }

    /// Records the states of the store, beginning with the current one.
    func watch(forceRefresh: Bool = false) -> StoreLog {
        let log = StoreLog()
        switch shape {
        case .factories:
            let states: LoadingStatePublisher<[Int]> = store.publish(forceRefresh: forceRefresh)
            log.hold(states.sink { log.add($0.brief) })
        case .cachers:
            let states: LoadingStateSequence<[Int]> = store.publish(forceRefresh: forceRefresh)
            let reading = lab.start { for await state in states { log.add(state.brief) } }
            log.hold(AnyCancellable { reading.cancel() })
        }
        return log
    }

    // MARK: Origin

    /// Waits until a call of the origin waits for its answer.
    func asks(_ call: String) async {
        await wait { origin.waiting.contains(call) }
    }

    /// Answers a call of the origin, and runs the resulting work.
    func answer(
        _ data: [Int], next: String? = nil, prev: String? = nil, to call: String = "fetch",
        location: SourceLocation = #_sourceLocation
    ) {
        end(call, .success(Page(data, next: next, prev: prev)), location: location)
    }

    /// Fails a call of the origin, and runs the resulting work.
    func fail(
        _ error: any Error = Broken("boom"), to call: String = "fetch", location: SourceLocation = #_sourceLocation
    ) {
        end(call, .failure(error), location: location)
    }

    /// Ends a call of the origin, and runs the resulting work. Without a page, a publisher ends without a value.
    func end(_ call: String, _ result: Result<Page?, any Error>, location: SourceLocation = #_sourceLocation) {
        if !origin.end(call, result) {
            Issue.record("no call of \(call) is open: \(origin.waiting)", sourceLocation: location)
        }
        settle()
    }
}
