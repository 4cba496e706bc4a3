import Foundation
import PigeonHTTP
import PigeonREST
import TestSupport
import Testing
import UIKit

@Suite("Seed 004, the article's code")
@MainActor
struct Seed004Suite {
    let server = GitHub()
    let api: GitHubAPI

    init() {
        api = GitHubAPI(
            Service(baseURL: "https://api.github.test", networking: server.transport, client: QueryClient()))
    }

    private func show(_ controller: UIViewController) -> UIWindow {
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
        window.rootViewController = controller
        window.makeKeyAndVisible()
        return window
    }

    private func repos(of name: String) -> Resource {
        api.user(name).child("repos")
    }

    @Test("Block 1: a spinner while it is loaded, then a row for each repository")
    func filling() async {
        let controller = RepositoryListViewController(style: .plain)
        let window = show(controller)
        let repositories = CurrentValueSubject<Resource?, Never>(repos(of: "ann"))
        controller.configure(repositories: repositories.eraseToAnyPublisher())
        #expect(controller.statusOverlay.visibleText == ["…"])
        #expect(controller.statusOverlay.frame == controller.view.bounds)
        server.answer("/users/ann/repos", #"[{"name": "one", "stars": 1}, {"name": "two", "stars": 2}]"#)
        await until { controller.rows == ["one 1 ★", "two 2 ★"] }
        await until { controller.statusOverlay.isHidden }
        #expect(server.asked == ["/users/ann/repos"])
        _ = window
    }

    @Test("Block 1: an error is shown, and the button beside it loads again")
    func retry() async {
        let controller = RepositoryListViewController(style: .plain)
        let window = show(controller)
        let repositories = CurrentValueSubject<Resource?, Never>(repos(of: "ann"))
        controller.configure(repositories: repositories.eraseToAnyPublisher())
        server.answer("/users/ann/repos", #"{"message": "GitHub is asleep."}"#, status: .internalServerError)
        await until { controller.statusOverlay.visibleText.contains("GitHub is asleep.") }
        #expect(controller.rows.isEmpty)
        #expect(controller.statusOverlay.visibleText.contains("Try Again"))

        server.forget("/users/ann/repos")
        controller.statusOverlay.retryButton?.tap()
        #expect(controller.statusOverlay.visibleText == ["…"])
        server.answer("/users/ann/repos", #"[{"name": "one", "stars": 1}]"#)
        await until { controller.rows == ["one 1 ★"] }
        await until { controller.statusOverlay.isHidden }
        _ = window
    }

    @Test("Block 1: another user's name, what is in memory, and what the network brings, are shown as they come")
    func changes() async {
        let controller = RepositoryListViewController(style: .plain)
        let window = show(controller)
        let repositories = PassthroughSubject<Resource?, Never>()
        controller.configure(repositories: repositories.eraseToAnyPublisher())
        server.answer("/users/ann/repos", #"[{"name": "anns", "stars": 1}]"#)
        server.answer("/users/bob/repos", #"[{"name": "bobs", "stars": 2}]"#)
        repositories.send(repos(of: "ann"))
        await until { controller.rows == ["anns 1 ★"] }
        repositories.send(repos(of: "bob"))
        await until { controller.rows == ["bobs 2 ★"] }
        // Up to date in memory: there within the change, and nothing is asked.
        repositories.send(repos(of: "ann"))
        #expect(controller.rows == ["anns 1 ★"])
        #expect(server.asked.count == 2)
        server.answer("/users/ann/repos", #"[{"name": "anns", "stars": 5}]"#)
        repos(of: "ann").load()
        await until { controller.rows == ["anns 5 ★"] }
        repositories.send(nil)
        #expect(controller.rows.isEmpty)
        #expect(controller.statusOverlay.isHidden)
        #expect(!repos(of: "ann").isObserved)
        _ = window
    }

    @Test("Block 1: the controller is freed, and lets go of what it showed")
    func lifetime() {
        weak var freed: RepositoryListViewController?
        let repositories = CurrentValueSubject<Resource?, Never>(repos(of: "ann"))
        do {
            let controller = RepositoryListViewController(style: .plain)
            controller.configure(repositories: repositories.eraseToAnyPublisher())
            #expect(repos(of: "ann").isObserved)
            freed = controller
        }
        #expect(freed == nil)
        #expect(!repos(of: "ann").isObserved)
    }

    @Test("Block 2: the publishers give content and states, and an error where the content is of another type")
    func publishers() async {
        let ann = Article.Resource(resource: api.user("ann"))
        var users: [User] = []
        var states: [Article.ResourceState<User>] = []
        var wrong: [Article.ResourceState<[Repository]>] = []
        let subscriptions = [
            ann.contentPublisher().sink { users.append($0) },
            ann.statePublisher().sink { states.append($0) },
            ann.statePublisher().sink { wrong.append($0) },
        ]
        server.answer("/users/ann", #"{"login": "ann"}"#)
        await until { states.last?.content != nil && wrong.last?.latestError != nil && !users.isEmpty }
        #expect(users.last == User(login: "ann"))
        #expect(states.first?.isLoading == true)
        #expect(states.last?.isLoading == false)
        #expect(states.last?.latestEvent == .newData(.network))
        #expect(wrong.last?.content == nil)
        #expect(wrong.last?.latestError?.cause is PigeonREST.RequestError.Cause.WrongContentType)
        _ = subscriptions
    }

    @Test("Blocks 3 and 4: an API of resources, and one of publishers of what they hold")
    func apis() async {
        server.answer("/users/ann", #"{"login": "ann"}"#)
        let resources: OfResources._GitHubAPI = api
        let publishers = OfPublishers._GitHubAPI(api.service)
        var states: [ResourceState<User>] = []
        let subscription = publishers.user("Ann").sink { states.append($0) }
        await until { states.last?.content != nil }
        #expect(states.last?.content == User(login: "ann"))
        #expect(resources.user("ann").typedContent() == User(login: "ann"))
        _ = subscription
    }

    @Test("The user look-up: typing a name shows the user and the list; the next name does not show the one before")
    func lookingUp() async {
        let controller = UserViewControllerCombine(api: api)
        let window = show(controller)
        controller.searchField.type("ann")
        #expect(controller.statusOverlay.visibleText == ["…"])
        server.answer("/users/ann", #"{"login": "ann", "name": "Ann"}"#)
        server.answer("/users/ann/repos", #"[{"name": "anns", "stars": 1}]"#)
        await until { controller.nameLabel.text == "Ann" && controller.repositoryList.rows == ["anns 1 ★"] }
        await until { controller.statusOverlay.isHidden }

        controller.searchField.type("bob")
        #expect(controller.nameLabel.text == nil)
        #expect(controller.repositoryList.rows.isEmpty)
        server.answer("/users/bob", #"{"login": "bob"}"#)
        server.answer("/users/bob/repos", "[]")
        await until { controller.nameLabel.text == "bob" }
        controller.searchField.type("")
        #expect(controller.nameLabel.text == nil)
        _ = window
    }

    @Test("The user look-up: after signing in the query runs again, and the rate limit's error goes")
    func signingIn() async {
        let controller = UserViewControllerCombine(api: api)
        let window = show(controller)
        server.answer("/users/ann", #"{"message": "Rate limit exceeded."}"#, status: .forbidden)
        controller.searchField.type("ann")
        await until { controller.statusOverlay.visibleText.contains("Rate limit exceeded.") }

        server.answer("/users/ann", #"{"login": "ann", "name": "Ann"}"#)
        server.answer("/users/ann/repos", "[]")
        api.logIn(token: "secret")
        await until { controller.nameLabel.text == "Ann" }
        await until { controller.statusOverlay.isHidden }
        #expect(server.tokens.prefix(2) == [nil, "secret"])
        _ = window
    }
}

extension RepositoryListViewController {
    /// The texts of the rows on screen.
    var rows: [String] {
        tableView.layoutIfNeeded()
        return tableView.visibleCells.map { $0.visibleText.joined(separator: " ") }
    }
}
