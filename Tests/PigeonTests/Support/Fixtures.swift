import Foundation
import Pigeon
import PigeonTesting

struct User: Codable, Identifiable, Equatable {
    let id: Int
    let name: String
}

extension User: CustomStringConvertible {
    var description: String { name }
}

let ann = User(id: 1, name: "Ann")
let bob = User(id: 2, name: "Bob")
let cid = User(id: 3, name: "Cid")

struct Broken: Error, Equatable {}

typealias Users = Query<Void, [User]>
typealias UserByID = Query<Int, User>
typealias NumberList = PaginatedQuery<Void, NumericPaginatedQueryKey, [Int]>

extension QueryCacheConfig {
    static func using(_ policy: UsagePolicy, for seconds: TimeInterval? = nil) -> QueryCacheConfig {
        QueryCacheConfig(
            invalidationPolicy: seconds.map { .expiresAfter($0) } ?? .notExpires, usagePolicy: policy)
    }
}

extension QueryLab {
    /// The current date of the lab.
    var date: Date { environment.wallClock() }

    @MainActor
    func users(
        _ server: Server<Void, [User]>, key: QueryKey = "users",
        _ behavior: Users.FetchingBehavior = .startWhenRequested,
        polling: Users.PollingBehavior = .noPolling, config: QueryCacheConfig = QueryCacheConfig(),
        cache: any QueryCacheType = InMemoryQueryCache()
    ) -> Users {
        Users(
            key: key, behavior: behavior, pollingBehavior: polling, cache: cache, cacheConfig: config, client: client,
            fetcher: server.fetch)
    }

    /// Creates a query whose key is extended by the request.
    @MainActor
    func user(
        _ server: Server<Int, User>, config: QueryCacheConfig = QueryCacheConfig(),
        cache: any QueryCacheType = InMemoryQueryCache(), placeholder: UserByID.Placeholder = .none
    ) -> UserByID {
        UserByID(
            key: "user", keyAdapter: { key, id in key.appending(id.description) }, cache: cache, cacheConfig: config,
            client: client, placeholder: placeholder, fetcher: server.fetch)
    }

    @MainActor
    func numbers(
        _ server: Server<Int, [Int]>, key: QueryKey = "numbers", first: Int = 1,
        _ behavior: NumberList.FetchingBehavior = .startWhenRequested, config: QueryCacheConfig = QueryCacheConfig(),
        cache: any QueryCacheType = InMemoryQueryCache()
    ) -> NumberList {
        NumberList(
            key: key, firstPage: NumericPaginatedQueryKey(current: first), behavior: behavior, cache: cache,
            cacheConfig: config, client: client
        ) { _, page in server.fetch(page.current) }
    }
}

/// Records the published states of a query.
@MainActor
final class StateLog {
    private(set) var states: [String] = []
    private(set) var isFinished = false
    private var subscription: AnyCancellable?

    init<Response>(_ publisher: AnyPublisher<QueryState<Response>, Never>) {
        subscription = publisher.sink { [weak self] _ in
            self?.isFinished = true
        } receiveValue: { [weak self] state in
            self?.states.append("\(state)")
        }
    }

    convenience init(_ query: some QueryType) {
        self.init(query.statePublisher)
    }

    /// Returns the states since the last call.
    func take() -> [String] {
        defer { states = [] }
        return states
    }
}
