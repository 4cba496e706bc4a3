package import Foundation
import NIOConcurrencyHelpers
package import PigeonREST

/// What this program knows of GitHub: its resources, and who is signed in.
///
/// ```swift
/// let api = GitHubAPI(network: NetworkSwitch(URLSessionConfiguration.ephemeral))
/// let repositories = try await api.activeRepositories.loadedIfNeeded()
/// api.logIn(token: token)
/// ```
package final class GitHubAPI: Sendable {
    /// The address of GitHub itself.
    package static let address = URL(string: "https://api.github.com") ?? URL(fileURLWithPath: "/")

    /// The client whose entries all resources are.
    package let client: QueryClient

    let service: Service
    let images: Service
    private let network: NetworkSwitch
    private let connectivity: EnvironmentSignal
    private let cache: (any QueryCacheType)?
    private let session: NIOLockedValueBox<Session>

    /// - Parameters:
    ///   - baseURL: GitHub's address, or that of a server like it.
    ///   - network: What carries requests.
    ///   - cache: Where answers are kept between runs; `nil` for nowhere.
    ///   - outbox: Where stars wait for the network. By default, none is kept between runs.
    ///   - token: Of who is signed in when the program starts.
    ///   - environment: Time and surroundings.
    package init(
        baseURL: URL = GitHubAPI.address, network: NetworkSwitch, cache: (any QueryCacheType)? = nil,
        outbox: any MutationStore = InMemoryMutationStore(), token: String? = nil,
        environment: QueryEnvironment = QueryEnvironment()
    ) {
        let first = Session(token: token, cache: cache)
        client = QueryClient(
            outbox: Outbox.Setup(store: outbox, mutations: [RecordedRequest.self], session: first.isolation.session),
            environment: environment)
        connectivity = environment.connectivity
        self.network = network
        self.cache = cache
        let session = NIOLockedValueBox(first)
        self.session = session
        service = Service(
            baseURL: baseURL, standardTransformers: [.text, .image], networking: network, client: client)
        images = Service(standardTransformers: [.image], networking: network, client: client)
        Self.configure(service) { session.withLockedValue { $0 } }
        Self.configure(images, cache: cache)
    }

    // MARK: Who is signed in

    package var isAuthenticated: Bool { session.withLockedValue { $0.token } != nil }

    /// Has all requests from now on be made by the owner of a token. What was known is forgotten, in memory and on disk:
    /// it was another's.
    package func logIn(token: String) {
        change(to: token)
    }

    /// Has all requests from now on be made by nobody in particular, and forgets what the one before could see.
    package func logOut() {
        change(to: nil)
    }

    private func change(to token: String?) {
        let new = Session(token: token, cache: cache)
        // Nobody's changes are made with another's token.
        client.outbox.setSession(new.isolation.session, discardingCurrent: true)
        session.withLockedValue { $0 = new }
        service.invalidateConfiguration()
        service.wipeResources()
    }

    /// Returns when all that is to be kept, or forgotten, on disk is.
    package func settleCaches() async {
        await service.settlePersistentCaches()
        await images.settlePersistentCaches()
    }

    // MARK: The network

    /// Whether requests go through. What failed while they did not, or is old, is loaded again when they do.
    package var isOnline: Bool {
        get { network.isOn }
        set {
            network.isOn = newValue
            connectivity.set(newValue)
        }
    }
}
