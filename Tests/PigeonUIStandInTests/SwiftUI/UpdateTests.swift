import Pigeon
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

/// A view that shows a query with something of its own, which SwiftUI makes during an update.
enum Shower: String, CaseIterable, CustomTestStringConvertible {
    case query, model, consumer, wrapper, selection, observer

    var testDescription: String { rawValue }

    @MainActor
    @ViewBuilder
    func view(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) -> some View {
        switch self {
        case .query: OwnQuery(Query(definition, client: client))
        case .model: OwnModel(definition, client)
        case .consumer: OwnQuery(Query<Void, [Person]>.Consumer(of: definition, client: client))
        case .wrapper: Wrapped(definition)
        case .selection: Selected(definition)
        case .observer: Observing(definition, client)
        }
    }

    struct OwnQuery<Query: ShownQuery>: View where Query.ShownContent == [Person] {
        @StateObject private var query: Query

        init(_ query: @autoclosure @escaping () -> Query) {
            _query = StateObject(wrappedValue: query())
        }

        var body: some View { QueryView(query) { Text("\($0.count)") } }
    }

    struct OwnModel: View {
        /// Makes its request while it is made itself.
        @MainActor
        final class Model: ObservableObject {
            let query: Query<Void, [Person]>

            init(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) {
                query = Query(client: client) { definition }
                query.refetch(request: ())
            }
        }

        @StateObject private var model: Model

        init(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) {
            _model = StateObject(wrappedValue: Model(definition, client))
        }

        var body: some View { QueryView(model.query) { Text("\($0.count)") } }
    }

    struct Wrapped: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) { _people = UseQuery(definition) }

        var body: some View { StateView(people) { Text("\($0.count)") } }
    }

    struct Selected: View {
        @UseSelection<[Person], Int> var count: Snapshot<Int>

        init(_ definition: QueryDefinition<[Person]>) { _count = UseSelection(definition) { $0.count } }

        var body: some View { StateView(count) { Text("\($0)") } }
    }

    struct Observing: View {
        /// Observes the client while it is made itself, without an object of the library that could announce changes.
        @MainActor
        final class Model: ObservableObject {
            @Published private(set) var people: Snapshot<[Person]>
            private var reading: Task<Void, Never>?

            init(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) {
                let observer = client.observe(definition)
                people = observer.snapshot
                reading = Task { [weak self] in
                    for await people in observer { self?.people = people }
                }
            }

            deinit {
                reading?.cancel()
            }
        }

        @StateObject private var model: Model

        init(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) {
            _model = StateObject(wrappedValue: Model(definition, client))
        }

        var body: some View { StateView(model.people) { Text("\($0.count)") } }
    }
}

@MainActor
@Suite("no object publishes changes from within an update", .rule("X3"))
struct UpdateTests {
    let stage = Stage()

    @Test(
        "what a view changes for others as it appears, they are told after the update", .rule("X3"),
        arguments: Shower.allCases,
        [Shower.query, .model, .wrapper, .selection, .observer])
    func appearing(_ first: Shower, _ second: Shower) async {
        let (stage, client) = (stage, stage.lab.client)
        let isOpen = Choice(false)
        let screen = stage.screen {
            first.view(stage.people, client)
            if isOpen.value { second.view(stage.people.refetchOnAttach(.always), client) }
        }
        let observer = client.observe(stage.people)
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1" })
        isOpen.value = true
        screen.rebuild()
        #expect(stage.fetcher.calls.count == 2, "the second view fetches")
        #expect(screen.untimelyChanges == 0)
        stage.fetcher.succeed(with: [ann, bob])
        #expect(await screen.wait { $0 == "2\n2" })
        #expect(screen.untimelyChanges == 0)
        withExtendedLifetime(observer) {}
    }

    /// Holds what its initializer did, as models do.
    @MainActor
    private final class Doing: ObservableObject {
        private let result: Any

        init(_ action: @MainActor () -> Any) {
            result = action()
        }
    }

    private struct DoingView: View {
        @StateObject private var model: Doing

        init(_ action: @escaping @MainActor () -> Any) {
            _model = StateObject(wrappedValue: Doing(action))
        }

        var body: some View { Text("done") }
    }

    /// Shows a query, and then a view whose model runs an action in its initializer.
    private func screen(showing first: Shower, then action: @escaping @MainActor () -> Any) async -> Screen {
        let (stage, isOpen) = (stage, Choice(false))
        let screen = stage.screen {
            first.view(stage.people.enabled(false), stage.lab.client)
            if isOpen.value { DoingView(action) }
        }
        #expect(stage.fetcher.calls.isEmpty)
        isOpen.value = true
        screen.rebuild()
        return screen
    }

    @Test(
        "a model that moves or enables its observer as it is made tells others after the update", .rule("X3"),
        arguments: [Shower.consumer, .wrapper, .selection], [true, false])
    func moving(_ first: Shower, _ moves: Bool) async {
        let (stage, client) = (stage, stage.lab.client)
        let observer = client.observe(moves ? stage.people("other").enabled(false) : stage.people.enabled(false))
        let screen = await screen(showing: first) {
            if moves { observer.observe(stage.people) } else { observer.setEnabled(true) }
            return observer
        }
        #expect(stage.fetcher.calls.count == 1)
        #expect(screen.untimelyChanges == 0)
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1\ndone" })
        #expect(screen.untimelyChanges == 0)
    }

    @Test("a fetcher that writes at once, as a model begins to observe, tells others after the update", .rule("X3"))
    func writing() async {
        let (stage, client) = (stage, stage.lab.client)
        let writer = QueryDefinition<Int>("writer") { [people = stage.people] _ in
            try client.set([ann, bob], for: people)
            return 1
        }
        let screen = await screen(showing: .wrapper) { client.observe(writer) }
        #expect(await screen.wait { $0 == "2\ndone" })
        #expect(screen.untimelyChanges == 0)
    }

    @Test("a list is told of another list's load after the update", .rule("X3"))
    func pages() async {
        let (stage, client) = (stage, stage.lab.client)
        let server = stage.lab.fetcher(returning: [Person].self)
        let list = QueryDefinition<Pages<[Person], Int>>.pages(key: "list", first: 1) { _, _ in
            try await server.call()
        } next: { _, _ -> Int? in
            nil
        }
        let isOpen = Choice(false)
        let screen = stage.screen {
            Shower.OwnQuery(PaginatedQuery(list, client: client))
            if isOpen.value { Shower.OwnQuery(PaginatedQuery(list.refetchOnAttach(.always), client: client)) }
        }
        server.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1" })
        isOpen.value = true
        screen.rebuild()
        #expect(server.calls.count == 2 && screen.untimelyChanges == 0)
        server.succeed(with: [ann, bob])
        #expect(await screen.wait { $0 == "2\n2" })
        #expect(screen.untimelyChanges == 0)
    }
}
