import Foundation
import PigeonHTTP
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

// The code of the article (seed 004), word for word. The parts that it uses from UIKit and from its app are defined
// below.

@MainActor
final class RepositoryListViewController {
    let statusOverlay = StatusOverlay()
    let tableView = TableView()
    var subs: Set<AnyCancellable> = []

    func configure(repositories: AnyPublisher<Resource? /* [Repository] */, Never>) {
        repositories
            // In this project we have an extension to tell Siesta's status overlay to be
            // interested in the latest Resource output by a Resource publisher. The following
            // line gives us a progress spinner, error display and retry functionality.
            .watchedBy(statusOverlay: statusOverlay)
            // Transform the sequence of Resources into a sequence of their content: [Repository].
            .flatMapLatest { resource -> AnyPublisher<[Repository], Never> in
                resource?.contentPublisher() ?? Just([]).eraseToAnyPublisher()
            }
            // This is everything we need to populate the table with the list of repos,
            // courtesy of CombineDataSources.
            .bind(
                subscriber: tableView.rowsSubscriber(
                    cellIdentifier: "repo", cellType: RepositoryTableViewCell.self,
                    cellConfig: { cell, indexPath, repo in
                        cell.repository = repo
                    })
            )
            .store(in: &subs)
    }
}

class _GitHubAPI: @unchecked Sendable {
    let service: Service

    init(_ service: Service) {
        self.service = service
    }

    func user(_ username: String) -> Resource { service.resource("/users").child(username) }
}

extension _GitHubAPI {
    func user(_ username: String) -> AnyPublisher<ResourceState<User>, Never> {
        (user(username) as Resource).statePublisher()
    }
}

// MARK: The rest of the app

struct User: Decodable, Sendable, Equatable {
    var login: String
}

struct Repository: Decodable, Sendable, Hashable {
    var name: String
}

@MainActor
final class RepositoryTableViewCell {
    required init() {}

    var repository: Repository?
}

/// The part of a table view that the article's controller uses.
@MainActor
final class TableView {
    private(set) var cells: [RepositoryTableViewCell] = []

    func rowsSubscriber<Item: Hashable & Sendable>(
        cellIdentifier: String, cellType: RepositoryTableViewCell.Type,
        cellConfig: @escaping @MainActor (RepositoryTableViewCell, IndexPath, Item) -> Void
    ) -> ListSubscriber<[Item]> {
        let list = Rows<Item> { [weak self] items in
            self?.cells = items.enumerated().map { position, item in
                let cell = cellType.init()
                cellConfig(cell, IndexPath(indexes: [0, position]), item)
                return cell
            }
        }
        lists.append(list)
        return list.itemsSubscriber()
    }

    private var lists: [AnyObject] = []

    @MainActor
    private final class Rows<Item: Hashable & Sendable>: ItemList {
        private let show: ([Item]) -> Void

        init(show: @escaping ([Item]) -> Void) {
            self.show = show
        }

        func apply(_ changes: ListChanges, items: [Item]) { show(items) }
    }
}

@Suite("The article's code")
struct SeedTests {
    let transport = MockTransport()
    let service: Service

    init() {
        service = Service(baseURL: "https://api.github.test", networking: transport, client: QueryClient())
        service.configureTransformer("/users/*/repos") { try JSONDecoder().decode([Repository].self, from: $0.content) }
        service.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
        service.configure("**") { $0.pipeline[.parsing].removeTransformers() }
        transport.answer(.get, "/users/:name") { _, values in try .json(["login": values["name"] ?? ""]) }
    }

    @Test("fills the table with the repositories of the latest resource, with spinner and retry")
    @MainActor
    func list() async throws {
        let controller = RepositoryListViewController()
        let statuses = Recorder<ResourceStatus>()
        let subscription = controller.statusOverlay.onChange { statuses.append($0) }
        // Answers once the spinner is visible.
        transport.answer(.get, "/users/ann/repos") { [overlay = controller.statusOverlay] _, _ in
            await until { overlay.status == .loading }
            return try .json([["name": "ann-one"], ["name": "two"]])
        }
        let repositories = PassthroughSubject<Resource?, Never>()
        controller.configure(repositories: repositories.eraseToAnyPublisher())
        repositories.send(service.resource("/users/ann/repos"))
        await until { !controller.tableView.cells.isEmpty }
        #expect(controller.tableView.cells.map { $0.repository?.name } == ["ann-one", "two"])
        #expect(statuses.all == [.nothing, .loading, .content])

        transport.answer(.get, "/users/:name/repos", with: .text("{}", status: .internalServerError))
        repositories.send(service.resource("/users/bob/repos"))
        await until { controller.statusOverlay.status.error != nil }
        #expect(controller.statusOverlay.status.error?.httpStatusCode == 500)
        transport.answer(.get, "/users/:name/repos") { _, _ in try .json([["name": "bobs"]]) }
        controller.statusOverlay.retryFailedRequests()
        await until { controller.tableView.cells.first?.repository?.name == "bobs" }

        repositories.send(nil)
        #expect(controller.tableView.cells.isEmpty)
        #expect(controller.statusOverlay.status == .nothing)
        subscription.cancel()
    }

    @Test("An API may give out publishers in place of resources")
    @MainActor
    func publishers() async {
        let api = _GitHubAPI(service)
        let states = Recorder<ResourceState<User>>()
        let publisher: AnyPublisher<ResourceState<User>, Never> = api.user("ann")
        let cancellable = publisher.sink { states.append($0) }
        await until { states.all.last?.content != nil }
        #expect(states.all.last?.content == User(login: "ann"))
        _ = cancellable
    }
}
