import Foundation
import PigeonHTTP
import PigeonSQLite
import PigeonUI

/// All that the screens need: what fetches, what keeps, and where it is fetched from.
@MainActor
public struct Shop {
    let client: QueryClient
    let api: ShopAPI
    let notes: Notes

    /// Creates a shop.
    ///
    /// - Parameters:
    ///   - transport: How requests reach the server.
    ///   - cache: What keeps data across starts.
    init(transport: any HTTPTransport, cache: any QueryCacheType, environment: QueryEnvironment = .init()) {
        let server = FixedServer(URL(string: "https://cards.example"))
        client = QueryClient(cache: cache, environment: environment)
        api = ShopAPI(dispatcher: NetworkDispatcher(serverProvider: server, transport: transport), server: server)
        notes = Notes(client)
    }

    /// The shop as the app starts it: with a server that is part of it, so that there is nothing to set up.
    ///
    /// What it knows is kept in a file. Where there is no place for one, it is kept while the app runs.
    public static func sample() -> Shop {
        let disk: (any QueryCacheType)? = try? SQLiteQueryCache(at: cacheFile())
        return Shop(transport: SampleServer().transport, cache: disk ?? InMemoryQueryCache())
    }

    private static func cacheFile() throws -> URL {
        let folder = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        return folder.appendingPathComponent("cards.sqlite")
    }
}
