import Foundation
import PigeonHTTP
import PigeonREST
import PigeonSQLite

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The snippets of PigeonREST's documentation comments and of its page, compiled, as in `DocumentationSnippets.swift`.
@MainActor
private enum RESTSnippets {
    nonisolated static func show<Value>(_ value: Value) {}
    static func show(_ user: User?, isBusy: Bool, problem: String?) {}
    static func show(_ items: [Repository], more: Bool) {}
    static func show(_ message: String, _ button: Button?) {}
    static func showSpinner() {}
    static func hideOverlay() {}
    static func useDefaultImage() {}
    static func star(_ repository: Repository) {}
    static func draw(_ status: ResourceStatus) {}
    nonisolated static func report(_ error: ResourceRequestError, of resource: Resource) {}

    // MARK: Services

    static func pictures(_ cell: PictureCell, _ images: Service, of user: (login: String, avatarURL: String)) {
        let picture = RemoteContent<Data>()
        picture.onChange = { shown in cell.draw(shown) }
        picture.resource = images.resource(absoluteURL: user.avatarURL)
    }

    static func configuring(_ service: Service, _ entities: PersistentEntityCache<User>) {
        service.configure("/search/**") {
            $0.expirationTime = 10
            $0.headers["Accept"] = "application/vnd.github+json"
        }
        service.configure("**") {
            $0.decorateRequests { resource, request in
                request.onFailure { error in report(error, of: resource) }
            }
        }
        let experiment = service.configure("**") { $0.headers["X-Experiment"] = "on" }
        service.removeConfiguration(experiment)
    }

    static func configuring(_ api: Service) {
        api.configure("**") { $0.expirationTime = 60 }  // all below the base URL
        api.configure("/search/**", requestMethods: [.get]) { $0.expirationTime = 5 }
    }

    static func decoding(_ decoder: JSONDecoder) {
        let api = Service(baseURL: "https://api.example.com", standardTransformers: [.text, .image])
        api.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
        api.configure("/users", decoding: [User].self, with: decoder)
    }

    static func networking(_ policy: HTTPPolicy) {
        let provider = HTTPTransportProvider(URLSessionTransport(), policy: policy)
        let service = Service(baseURL: "https://api.example.com", networking: provider)
        show(service)
    }

    /// Documentation/MigratingFromSiesta.md, CallbackDelivery
    static func callbacks(_ url: URL) {
        let server = Service(baseURL: url, callbacks: .immediate)  // on the thread where the change happens
        show(server)
        do {
            let api = Service(baseURL: url, callbacks: .immediate)  // a server, which has no main run loop
            show(api)
        }
    }

    static func renewing(_ url: URL, _ saved: String, _ session: Session) {
        var policy = HTTPPolicy()
        policy.authorization = TokenAuthorization(token: saved) { refused in try await session.renew(refused) }
        let dispatcher = NetworkDispatcher(baseURL: url, policy: policy)
        let api = Service(baseURL: url, networking: dispatcher)
        show(api)
    }

    static func sharing(
        _ service: Service, _ client: QueryClient, _ resource: Resource, _ users: QueryDefinition<[User]>
    ) async {
        service.configure("/news") {
            $0.query { $0.pollEvery = .seconds(60) }
        }
        await client.invalidate(.path(service.queryKey))  // all resources of the service
        let load = resource.load(using: Resource.request(fetching: users, from: client))
        show(load)
    }

    static func defining(_ service: Service, _ client: QueryClient) async throws {
        let ann: QueryDefinition<User> = service.definition("/users/ann")
        let user = try await client.fetch(ann)
        show(user)
    }

    static func logging() {
        SiestaLog.Category.enabled = .common
        SiestaLog.messageHandler = { category, message in logger.debug("\(category): \(message)") }
    }

    // MARK: Pipeline and caches

    struct ServerMessage: ResponseTransformer {
        func process(_ response: ResourceResponse) -> ResourceResponse {
            guard case .failure(var error) = response, let message = error.jsonDict["message"] as? String else {
                return response
            }
            error.userMessage = message
            return .failure(error)
        }
    }

    struct Unchanged: ResponseTransformer {
        func process(_ response: ResourceResponse) -> ResourceResponse { response }
    }

    typealias XMLResponseTransformer = Unchanged
    typealias YAMLResponseTransformer = Unchanged

    static func pipelines(_ service: Service, _ entities: PersistentEntityCache<User>) {
        service.configure {
            $0.pipeline[.parsing].add(XMLResponseTransformer(), contentTypes: ["*/xml"])
            $0.pipeline[.model].cacheUsing(entities)
        }
        service.configure { $0.pipeline[.rawData].cacheUsing(entities) }
        service.configure { $0.pipeline[.cleanup].add(ServerMessage()) }
        service.configure { $0.pipeline.order.insert(.decryption, at: 0) }
        service.configure("/users/*") { $0.pipeline[.model].add(ResponseContentTransformer(decoding: User.self)) }
        service.configure("/links/*") {
            $0.pipeline[.model].add(ResponseContentTransformer { (link: Entity<String>) in URL(string: link.content) })
        }
        let yaml = StandardTransformer(
            name: "YAML", stage: .parsing, contentTypes: ["*/yaml", "*/*+yaml"], transformer: YAMLResponseTransformer())
        standard: do {
            let service = Service(baseURL: "https://example.com", standardTransformers: [.json, yaml])
            show(service)
        }
    }

    static func caches(_ service: Service, _ caches: URL, _ userID: String) throws {
        let file = try SQLiteQueryCache(at: caches.appendingPathComponent("api.sqlite"))
        service.configure("/users/*") {
            $0.pipeline[.model].cacheUsing(
                PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: userID)))
        }
    }

    // MARK: Resources and requests

    static func resources(_ resource: Resource, _ profile: Resource, _ changes: [String: String]) {
        entities: do {
            let user = Entity<any Sendable>(content: User(id: 1, name: "Ada"), contentType: "application/json")
            resource.overrideLocalData(with: user)
        }
        contents: do {
            let name = resource.jsonDict["name"] as? String
            let user: User? = resource.typedContent()
            show((name, user))
        }
        editing: do {
            var settings = resource.jsonDict
            settings["theme"] = "dark"
            resource.overrideLocalContent(with: settings)
        }
        profile.load(using: profile.request(.put, json: changes))
        resource.request(.post, json: ["name": "Ann"])
            .onSuccess { entity in print(entity.text) }
            .onFailure { error in print(error.userMessage) }
    }

    static func deleting(_ user: Resource, _ list: Resource) {
        user.request(.delete).onSuccess { _ in list.load() }
    }

    static func failing(_ resource: Resource, _ label: Label) {
        resource.load().onFailure { error in
            label.text = error.userMessage
            if error.cause is ResourceRequestError.Cause.UnparsableImage { useDefaultImage() }
        }
    }

    struct TokenRefresh: RequestDelegate {
        let session: Session

        func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
            session.refresh { completionHandler.broadcastResponse(ResponseInfo(response: $0)) }
        }
        func cancelUnderlyingOperation() { session.cancelRefresh() }
        func repeated() -> any RequestDelegate { self }
    }

    static func chaining(_ service: Service, _ session: Session) {
        let request = Resource.prepareRequest(using: TokenRefresh(session: session)).start()
        show(request)
        let tokenRefresh = { @Sendable () -> any ResourceRequest in request.repeated() }
        service.configure("**") {
            $0.decorateRequests { _, request in
                request.chained { info in
                    guard case .failure(let error) = info.response, error.httpStatusCode == 401 else {
                        return .useThisResponse
                    }
                    return .passTo(tokenRefresh().chained { _ in .passTo(request.repeated()) })
                }
            }
        }
    }

    static func typing(_ api: GitHub, _ client: QueryClient, _ user: TypedResource<User>) async throws {
        let ann = try await api.user("ann").loadedIfNeeded()
        for await state in api.user("ann").states { show(state) }
        let observer = client.observe(user.watched) { snapshot in show(snapshot) }
        show((ann, observer))
    }

    static func faking(_ error: ResourceRequestError, _ ann: User) {
        let previews: [TypedResource<User>] = [.fakeLoading(), .fakeFailure(error), .fake(ann)]
        show(previews)
    }

    static func paging(_ api: Service) async throws {
        let repositories = api.pages("/users/ann/repos", of: Repository.self)
        let first = try await api.client.fetch(repositories)
        let both = try await api.client.fetchNextPage(of: repositories)
        show(both.flatMap(\.items), more: both.hasNext)
        show(first)
    }

    // MARK: Publishers and sequences

    static func publishing(_ api: Service, _ starred: Resource, _ repository: Resource, _ button: Button) {
        var subscriptions: Set<AnyCancellable> = []
        api.resource("/users/ann").statePublisher()
            .sink { (state: ResourceState<User>) in show(state) }
            .store(in: &subscriptions)
        starred.requestPublisher { $0.request(.put) }
            .sink(receiveCompletion: { _ in button.stopAnimating() }, receiveValue: { repository.load() })
            .store(in: &subscriptions)
    }

    static func searching(
        _ api: GitHub, _ searchText: AnyPublisher<String, Never>, _ users: AnyPublisher<TypedResource<User>, Never>,
        _ starTaps: AnyPublisher<Void, Never>, _ repositories: AnyPublisher<Repository, Never>, _ card: UserCard
    ) {
        var subscriptions: Set<AnyCancellable> = []
        searchText.flatMapLatest { api.user($0).optionalContentPublisher() }
            .sink { user in show(user) }
            .store(in: &subscriptions)
        users
            .flatMapLatest { $0.statePublisher() }
            .optionalContent()
            .sink { card.user = $0 }
            .store(in: &subscriptions)
        starTaps.withLatestFrom(repositories)
            .sink { repository in star(repository) }
            .store(in: &subscriptions)
    }

    static func reading(_ api: GitHub, _ user: Resource) async {
        for await state in user.states(as: User.self) { show(state) }
        for await state in api.user("ann").states {
            show(state.content, isBusy: state.isLoading, problem: state.latestError?.userMessage)
        }
    }

    // MARK: Lists

    final class RepositoryList: ItemList {
        func apply(_ changes: ListChanges, items: [Repository]) { draw(items) }
        func draw(_ items: [Repository]) {}
    }

    static func listing(
        _ list: RepositoryList, _ repositories: AnyPublisher<[Repository], Never>, _ shown: [Repository],
        _ items: [Repository], _ mine: [Repository], _ starred: [Repository]
    ) {
        var subscriptions: Set<AnyCancellable> = []
        repositories.bind(subscriber: list.itemsSubscriber()).store(in: &subscriptions)
        let changes = ListChanges(from: shown, to: items)
        let sections = [ListSection(header: "Mine", items: mine), ListSection(header: "Starred", items: starred)]
        show((changes, sections))
    }

    static func listing(_ list: RepositoryList, _ repositories: Resource) {
        var subscriptions: Set<AnyCancellable> = []
        repositories.contentPublisher()
            .bind(subscriber: list.itemsSubscriber())
            .store(in: &subscriptions)
    }

    // MARK: Status

    static func watching(
        _ list: RepositoryList, _ statusOverlay: StatusOverlay, _ repositories: AnyPublisher<Resource, Never>
    ) {
        var subscriptions: Set<AnyCancellable> = []
        repositories
            .watchedBy(statusOverlay: statusOverlay)
            .flatMapLatest { $0.contentPublisher() as AnyPublisher<[Repository], Never> }
            .bind(subscriber: list.itemsSubscriber())
            .store(in: &subscriptions)
    }

    static func overlays(_ repository: Resource) async {
        let overlay = StatusOverlay(displayPriority: .standard)
        overlay.watch(repository)
        for await status in overlay.statuses { draw(status) }
        overlay.displayPriority = [.anyData, .loading, .error]  // content is shown whenever there is any
    }

    static func statuses(_ user: Resource, _ repositories: Resource, _ retryButton: Button) {
        switch ResourceStatus.of([user.statusPart, repositories.statusPart], priority: .standard) {
        case .loading: showSpinner()
        case .content, .nothing: hideOverlay()
        case .failure(let error, _, let canRetry): show(error.userMessage, canRetry ? retryButton : nil)
        }
    }
}

extension PipelineStageKey {
    static let decryption = PipelineStageKey(description: "decryption")
}

private struct Repository: Codable, Hashable, Sendable {
    let name: String
}

private struct GitHub: Sendable {
    let service: Service

    func resource(_ path: String) -> Resource { service.resource(path) }

    func user(_ login: String) -> TypedResource<User> { resource("/users").child(login).typed() }
}

@MainActor
final class GitHubAPI {
    static let shared = GitHubAPI()

    private let service = Service(baseURL: "https://api.github.com")
    private var credentials: ConfigurationToken?

    var isAuthenticated: Bool { credentials != nil }

    func logIn(authorization: String) {
        logOut()
        credentials = service.configure("**") { $0.headers["Authorization"] = authorization }
    }

    func logOut() {
        if let credentials { service.removeConfiguration(credentials) }
        credentials = nil
        service.wipeResources()
    }

    func user(_ login: String) -> Resource { service.resource("/users").child(login) }
}

@MainActor
private final class ProfileController {
    func show(_ user: User?) {}

    func open(_ token: String) {
        let api = Service(baseURL: "https://api.example.com")
        api.configure("**") { $0.headers["Authorization"] = "Bearer \(token)" }
        api.configure("/users/*", decoding: User.self)

        let user = api.resource("/users/42")
        user.addObserver(owner: self) { [weak self] user, event in self?.show(user.typedContent()) }
        user.loadIfNeeded()
    }

    func follow(_ user: Resource) {
        user.addObserver(owner: self) { [weak self] user, event in self?.show(user.typedContent()) }
    }
}

extension ProfileController: ResourceObserver {
    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        show(resource.typedContent() as User?)
    }
}

struct SessionNetworking: RequestNetworking, SessionTaskContainer {
    let task: URLSessionTask

    func cancel() { task.cancel() }
}

private struct Session: Sendable {
    func refresh(_ done: @escaping @Sendable (ResourceResponse) -> Void) {}
    func cancelRefresh() {}
    func renew(_ refused: String?) async throws -> String { "" }
}

private struct Logger: Sendable {
    func debug(_ message: String) {}
}

private let logger = Logger()

@MainActor
private final class Label {
    var text = ""
}

@MainActor
private final class Button {
    func stopAnimating() {}
}

@MainActor
private final class UserCard {
    var user: User?
}

@MainActor
private final class PictureCell {
    func draw(_ shown: RemoteContent<Data>.Shown) {}
}
