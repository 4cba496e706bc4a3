import Foundation
import PigeonHTTP
import PigeonSQLite
import PigeonUI

/// All that the screens need: what fetches, what keeps, and where it is fetched from.
public struct Shop: Sendable {
    public let client: QueryClient
    public let api: ShopAPI
    public let notes: Notes

    /// - Parameters:
    ///   - transport: How requests reach the server.
    ///   - cache: What keeps data across starts.
    public init(transport: any HTTPTransport, cache: any QueryCacheType, environment: QueryEnvironment = .init()) {
        let server = FixedServer(URL(string: "https://cards.example"))
        client = QueryClient(cache: cache, environment: environment)
        api = ShopAPI(dispatcher: NetworkDispatcher(serverProvider: server, transport: transport), server: server)
        notes = Notes(client)
    }

    /// The shop as the app starts it: with a server that is part of it, so that there is nothing to set up.
    ///
    /// - Parameter cache: Where the cache is. Without a file there, and where there is no place for one, it begins empty.
    public static func sample(cache file: URL) -> Shop {
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let disk: (any QueryCacheType)? = try? SQLiteQueryCache(at: file)
        return Shop(transport: SampleServer().transport, cache: disk ?? InMemoryQueryCache())
    }
}
