import PigeonUI
import SeedSupport
import TestSupport
import Testing

// "Best Practices": the README forgets the last `{ get }`.
@MainActor
protocol Observed<Response> {
    associatedtype Response: Sendable

    // swift-format-ignore
    // [000.20
    var state: QueryState<Response> { get }
    var statePublisher: AnyPublisher<QueryState<Response>, Never> { get }
    var valuePublisher: AnyPublisher<Response, Never> { get }
    // 000.20]
}

extension Query: Observed {}
extension Query.Consumer: Observed {}
extension PaginatedQuery: Observed {}

extension Seed000 {
    @MainActor
    struct ObservingTests {
        private func observe(_ observed: some Observed<[String]>, _ fetch: () -> Void) async {
            let (states, values) = (Journal(), Journal())
            let subscriptions = [
                observed.statePublisher.sink { states.add("\($0)") },
                observed.valuePublisher.sink { values.add("\($0)") },
            ]
            fetch()
            await until { observed.state.value == ["Ann"] && values.lines.count == 1 }
            #expect(states.lines.last == "\(observed.state)" && values.lines == [#"["Ann"]"#])
            subscriptions.forEach { $0.cancel() }
        }

        private nonisolated static func fetch() -> AnyPublisher<[String], Error> {
            Just(["Ann"]).setFailureType(to: Error.self).eraseToAnyPublisher()
        }

        @Test func `queries, consumers and paginated queries can be observed`() async {
            let query = Query<Void, [String]>(key: "names", fetcher: { Self.fetch() })
            await observe(query) { query.refetch(request: ()) }
            await observe(Query<Void, [String]>.Consumer(key: "names")) {}
            let pages = PaginatedQuery<Void, NumericPaginatedQueryKey, [String]>(
                key: "pages", firstPage: NumericPaginatedQueryKey(current: 0), fetcher: { _, _ in Self.fetch() })
            await observe(pages) { pages.refetch(request: ()) }
        }

        @Test func `queries are chained by their values`() async {
            let users = Query<Void, [String]>(key: "users", fetcher: { Self.fetch() })
            let greeting = Query<String, String>(key: "greeting") { name in
                Just("Hello, \(name)").setFailureType(to: Error.self).eraseToAnyPublisher()
            }
            let subscription = users.valuePublisher.compactMap(\.first).sink { greeting.refetch(request: $0) }
            users.refetch(request: ())
            await until { greeting.state.value == "Hello, Ann" }
            subscription.cancel()
        }
    }
}
