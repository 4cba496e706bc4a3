import Foundation
import PigeonHTTP
import PigeonSQLite
import PigeonUI

/// The objects that live as long as the app: the client, and what the settings switch.
@MainActor
public final class Shop: ObservableObject {
    let client: QueryClient
    let server: SampleServer
    let notes: Notes

    /// True while requests can be sent.
    @Published private(set) var isOnline = true
    @Published private(set) var problem: String?
    private var network: QuerySubscription?

    /// - Parameter cache: Keeps data across starts.
    init(server: SampleServer, cache: any QueryCacheType, environment: QueryEnvironment = QueryEnvironment()) {
        // An app with a server of its own leaves out the transport, and requests go over the network.
        let http = NetworkDispatcher(
            baseURL: SampleServer.address, transport: server.transport, policy: .cards, clock: environment.clock)
        client = QueryClient(
            cache: cache, dependencies: Dependencies(http as any CardsAPI), budget: 64 << 20, environment: environment)
        self.server = server
        notes = Notes(client)
        network = environment.connectivity.onChange { [weak self] _ in
            Task { @MainActor in self?.isOnline = environment.connectivity.isOn }
        }
        isOnline = environment.connectivity.isOn
    }

    /// The app's shop. Its data is in a file or, where there is no place for one, in memory.
    public static func sample() -> Shop {
        let disk: (any QueryCacheType)? = try? SQLiteQueryCache(at: cacheFile())
        return Shop(server: SampleServer(), cache: disk ?? InMemoryQueryCache())
    }

    private static func cacheFile() throws -> URL {
        let folder = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        return folder.appendingPathComponent("cards.sqlite")
    }

    /// Cuts the sample server off, as if the device had no network.
    var isOffline: Bool {
        get { !server.isReachable.isOn }
        set {
            objectWillChange.send()
            server.isReachable.set(!newValue)
            client.environment.connectivity.set(!newValue)
        }
    }

    /// Has the sample server refuse every request.
    var isFailing: Bool {
        get { !server.isHealthy.isOn }
        set {
            objectWillChange.send()
            server.isHealthy.set(!newValue)
        }
    }

    /// Removes all that was loaded, and loads what is on screen again.
    func clearCache() async {
        client.remove(.tag("content"))
        await client.refetch(.tag("content"))
    }

    /// Leaves nothing of the user: neither in memory nor on disk, and no answer that arrives later.
    func signOut() async {
        problem = nil
        do { try await client.clear() } catch { problem = error.userMessage }
    }

    /// Ends what the settings have switched, for the next user. Not when a user signs out: until the screens have gone, they
    /// would load again what they showed.
    func restoreNetwork() { (isOffline, isFailing) = (false, false) }
}
