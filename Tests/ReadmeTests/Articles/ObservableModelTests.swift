import Observation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("Article: models with @Observable", OwnSharedState())
struct ObservableModelTests {
    struct Issue: Codable, Equatable, Identifiable, Sendable {
        var id: Int
        var title: String
        var votes = 0
    }

    struct IssueAPI: Sendable {
        let issues: ScriptedFetcher<Issue>

        func issue(_ id: Int) async throws -> Issue { try await issues.call(id) }
    }

    @MainActor @Observable
    final class IssueModel {
        let issue: Query<Void, Issue>
        var draft = ""

        init(_ id: Int, client: QueryClient) {
            issue = Query(.issue(id), client: client)
        }

        var title: String { issue.value?.title ?? "" }
        var isLoading: Bool { issue.snapshot.isLoading }
        var message: String? { issue.snapshot.error?.userMessage }
    }

    @MainActor @Observable
    final class TitleModel {
        private let part: SelectedQuery<String>

        init(_ issue: Query<Void, Issue>) {
            part = issue.select(\.title)
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
    private let issues: ScriptedFetcher<Issue>
    private let client: QueryClient

    init() {
        issues = lab.fetcher(returning: Issue.self)
        client = QueryClient(dependencies: Dependencies(IssueAPI(issues: issues)), environment: lab.environment)
    }

    @Test func `a model is tested with a lab`() {
        let lab = QueryLab()
        let issues = lab.fetcher(returning: Issue.self)
        let client = QueryClient(
            dependencies: Dependencies(IssueAPI(issues: issues)), environment: lab.environment)
        let model = IssueModel(7, client: client)
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        #expect(model.title == "It crashes")
    }

    @Test func `a computed property over a query is tracked`() {
        let model = IssueModel(7, client: client)
        lab.settle()
        #expect(model.isLoading)
        let titles = changes { _ = model.title }
        let loading = changes { _ = model.isLoading }
        #expect(titles.value == 0 && loading.value == 0)
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        #expect(titles.value == 1 && loading.value == 1)
        #expect(model.title == "It crashes" && !model.isLoading)
    }

    @Test func `a failure and a property of the model are tracked as well`() {
        let model = IssueModel(7, client: client)
        let messages = changes { _ = model.message }
        let drafts = changes { _ = model.draft }
        issues.fail(with: ServerFailure())
        #expect(messages.value == 1 && drafts.value == 0)
        #expect(model.message == "Something went wrong.")
        model.draft = "It hangs"
        #expect(drafts.value == 1)
    }

    private struct ServerFailure: Error {}

    @Test func `the next change is reported, also without a view`() {
        let model = IssueModel(7, client: client)
        let (shown, needsDisplay) = (Recorder<String>(), Counter())
        func show(_ title: String) { shown.append(title) }
        withObservationTracking {
            show(model.title)
        } onChange: {
            needsDisplay.set()
        }
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        #expect(shown.all == [""] && needsDisplay.value == 1)
    }

    @Test func `the snapshots of a query have all changes`() async {
        let model = IssueModel(7, client: client)
        let shown = Recorder<String>()
        @Sendable func show(_ title: String) { shown.append(title) }
        let task = Task {
            for await snapshot in model.issue.snapshots {
                show(snapshot.value?.title ?? "")
            }
        }
        await until { shown.all.last == "" }
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        await until { shown.all.last == "It crashes" }
        task.cancel()
    }

    @Test func `a refetch wakes who reads the query, and not who reads a part that stays`() async {
        let model = IssueModel(7, client: client)
        let part = TitleModel(model.issue)
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        #expect(part.title == "It crashes")
        let (titles, parts) = (changes { _ = model.title }, changes { _ = part.title })
        client.invalidateWithoutWaiting(.issue(7))
        lab.settle()
        #expect(titles.value == 1 && parts.value == 0)
        issues.succeed(with: Issue(id: 7, title: "It crashes", votes: 1))
        #expect(parts.value == 0 && model.issue.value?.votes == 1)
        client.invalidateWithoutWaiting(.issue(7))
        lab.settle()
        issues.succeed(with: Issue(id: 7, title: "It hangs", votes: 1))
        #expect(parts.value == 1 && part.title == "It hangs")
    }

    @Test func `queries share data if they have one client, and the shared one has no dependencies`() async throws {
        let (one, other) = (IssueModel(7, client: client), IssueModel(7, client: client))
        issues.succeed(with: Issue(id: 7, title: "It crashes"))
        #expect(one.title == "It crashes" && other.title == "It crashes")
        let alone = Query(.issue(7))
        await until { alone.snapshot.error != nil }
        #expect(alone.value == nil)
        let error = try #require(alone.snapshot.error as? QueryError)
        guard case .missingDependency(let type, _) = error else { throw error }
        #expect(type == "IssueAPI")
    }
}

extension QueryDefinition where Value == ObservableModelTests.Issue {
    fileprivate static func issue(_ id: Int) -> Self {
        QueryDefinition("issues", id) { context in try await context[ObservableModelTests.IssueAPI.self].issue(id) }
    }
}
