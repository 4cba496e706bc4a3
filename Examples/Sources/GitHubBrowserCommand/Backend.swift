import Foundation
import GitHubAPI
import GitHubServer
import PigeonREST
import PigeonSQLite

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where the browser gets what it shows: GitHub, or a server of its own.
struct Backend {
    let api: GitHubAPI
    /// `nil` for GitHub itself.
    let server: GitHubServer?

    /// The name that a server of the program's own goes by, whatever its port: what one run keeps, the next one finds.
    private static let name = URL(string: "http://api.github.test")

    /// - Parameters:
    ///   - server: Answers the requests; `nil` for GitHub.
    ///   - directory: Where answers, and stars that wait, are kept between runs; `nil` for nowhere.
    ///   - login: An account of the server, or a token, of who is logged in from the start.
    init(
        server: GitHubServer?, cachingIn directory: URL? = nil, login: String? = nil,
        environment: QueryEnvironment = QueryEnvironment()
    ) throws {
        let cache = try directory.map { try SQLiteQueryCache(at: $0.appendingPathComponent("github.sqlite")) }
        let outbox = try directory.map { try SQLiteMutationStore(at: $0.appendingPathComponent("stars.sqlite")) }
        let configuration = URLSessionConfiguration.ephemeral
        // All caching is the browser's: nothing is to be left where logging out does not reach.
        configuration.urlCache = nil
        let network = NetworkSwitch(configuration, name: Self.name, servedAt: server?.url)
        let isOwn = server != nil
        api = GitHubAPI(
            baseURL: (isOwn ? Self.name : nil) ?? GitHubAPI.address, network: network, cache: cache,
            outbox: outbox ?? InMemoryMutationStore(), token: login.map { Self.token(of: $0, isOwn: isOwn) },
            environment: environment)
        self.server = server
    }

    /// The names that can be used to log in, in place of tokens.
    var accounts: [String] { server == nil ? [] : Account.all.map(\.login) }

    /// The token of an account, or what was given where that is no account.
    func token(of accountOrToken: String) -> String {
        Self.token(of: accountOrToken, isOwn: server != nil)
    }

    private static func token(of accountOrToken: String, isOwn: Bool) -> String {
        let account = Account.all.first { isOwn && $0.login == accountOrToken.lowercased() }
        return account?.token ?? accountOrToken
    }
}
