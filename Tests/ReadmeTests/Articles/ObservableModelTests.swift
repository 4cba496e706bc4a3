import Observation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: models with @Observable", OwnSharedState())
struct ObservableModelTests {
    struct Ticket: Codable, Equatable, Identifiable, Sendable {
        var id: Int
        var title: String
        var votes = 0
    }

    struct TicketAPI: Sendable {
        let tickets: ScriptedFetcher<Ticket>

        func ticket(_ id: Int) async throws -> Ticket { try await tickets.call(id) }
    }

    @MainActor @Observable
    final class TicketModel {
        let ticket: Query<Void, Ticket>
        var draft = ""

        init(_ id: Int, client: QueryClient) {
            ticket = Query(.ticket(id), client: client)
        }

        var title: String { ticket.value?.title ?? "" }
        var isLoading: Bool { ticket.snapshot.isLoading }
        var message: String? { ticket.snapshot.error?.userMessage }
    }

    @MainActor @Observable
    final class TitleModel {
        private let part: SelectedQuery<String>

        init(_ ticket: Query<Void, Ticket>) {
            part = ticket.select(\.title)
        }

        var title: String { part.value ?? "" }
    }

    /// Counts the changes of what a closure reads, until the first one.
    private func changes(of read: () -> Void) -> Counter {
        let counter = Counter()
        withObservationTracking(read) { counter.set() }
        return counter
    }

    private final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func set() { count.withLock { $0 += 1 } }
    }

    private let lab = QueryLab()
    private let tickets: ScriptedFetcher<Ticket>
    private let client: QueryClient

    init() {
        tickets = lab.fetcher(returning: Ticket.self)
        client = QueryClient(dependencies: Dependencies(TicketAPI(tickets: tickets)), environment: lab.environment)
    }

    @Test func `a model is tested with a lab`() {
        let lab = QueryLab()
        let tickets = lab.fetcher(returning: Ticket.self)
        let client = QueryClient(
            dependencies: Dependencies(TicketAPI(tickets: tickets)), environment: lab.environment)
        let model = TicketModel(7, client: client)
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        #expect(model.title == "It crashes")
    }

    @Test func `a computed property over a query is tracked`() {
        let model = TicketModel(7, client: client)
        lab.settle()
        #expect(model.isLoading)
        let titles = changes { _ = model.title }
        let loading = changes { _ = model.isLoading }
        #expect(titles.value == 0 && loading.value == 0)
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        #expect(titles.value == 1 && loading.value == 1)
        #expect(model.title == "It crashes" && !model.isLoading)
    }

    @Test func `a failure and a property of the model are tracked as well`() {
        let model = TicketModel(7, client: client)
        let messages = changes { _ = model.message }
        let drafts = changes { _ = model.draft }
        tickets.fail(with: ServerFailure())
        #expect(messages.value == 1 && drafts.value == 0)
        #expect(model.message == "Something went wrong.")
        model.draft = "It hangs"
        #expect(drafts.value == 1)
    }

    private struct ServerFailure: Error {}

    @Test func `the next change is reported, also without a view`() {
        let model = TicketModel(7, client: client)
        let (shown, needsDisplay) = (Recorder<String>(), Counter())
        func show(_ title: String) { shown.append(title) }
        withObservationTracking {
            show(model.title)
        } onChange: {
            needsDisplay.set()
        }
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        #expect(shown.all == [""] && needsDisplay.value == 1)
    }

    @Test func `the snapshots of a query have all changes`() async {
        let model = TicketModel(7, client: client)
        let shown = Recorder<String>()
        @Sendable func show(_ title: String) { shown.append(title) }
        let task = Task {
            for await snapshot in model.ticket.snapshots {
                show(snapshot.value?.title ?? "")
            }
        }
        await until { shown.all.last == "" }
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        await until { shown.all.last == "It crashes" }
        task.cancel()
    }

    @Test func `a refetch wakes who reads the query, and not who reads a part that stays`() async {
        let model = TicketModel(7, client: client)
        let part = TitleModel(model.ticket)
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        #expect(part.title == "It crashes")
        let (titles, parts) = (changes { _ = model.title }, changes { _ = part.title })
        client.invalidateWithoutWaiting(.ticket(7))
        lab.settle()
        #expect(titles.value == 1 && parts.value == 0)
        tickets.succeed(with: Ticket(id: 7, title: "It crashes", votes: 1))
        #expect(parts.value == 0 && model.ticket.value?.votes == 1)
        client.invalidateWithoutWaiting(.ticket(7))
        lab.settle()
        tickets.succeed(with: Ticket(id: 7, title: "It hangs", votes: 1))
        #expect(parts.value == 1 && part.title == "It hangs")
    }

    @Test func `queries share data if they have one client, and the shared one has no dependencies`() async throws {
        let (one, other) = (TicketModel(7, client: client), TicketModel(7, client: client))
        tickets.succeed(with: Ticket(id: 7, title: "It crashes"))
        #expect(one.title == "It crashes" && other.title == "It crashes")
        let alone = Query(.ticket(7))
        await until { alone.snapshot.error != nil }
        #expect(alone.value == nil)
        let error = try #require(alone.snapshot.error as? QueryError)
        guard case .missingDependency(let type, _, nil) = error else { throw error }
        #expect(type == "TicketAPI")
    }
}

extension QueryDefinition where Value == ObservableModelTests.Ticket {
    fileprivate static func ticket(_ id: Int) -> Self {
        QueryDefinition("tickets", id) { context in try await context[ObservableModelTests.TicketAPI.self].ticket(id) }
    }
}
