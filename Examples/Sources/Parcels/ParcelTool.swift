package import Foundation
import PigeonCore
import PigeonHTTP
import PigeonSQLite

/// The commands of the tool, without the process that runs them.
package struct ParcelTool: Sendable {
    package typealias Output = @Sendable (String) -> Void

    let client: QueryClient
    var policy = FetchPolicy.fresh
    let output: Output

    /// Creates the tool for a server, with a cache in a file. Offline, it only reads the cache.
    package static func live(_ server: URL, _ cache: URL, isOffline: Bool, output: @escaping Output) throws -> Self {
        let api = NetworkDispatcher(baseURL: server) as any ParcelAPI
        let client = QueryClient(cache: try SQLiteQueryCache(at: cache), dependencies: Dependencies(api))
        return Self(client: client, policy: isOffline ? .cacheOnly : .fresh, output: output)
    }

    /// Runs a command. Returns false if there is no such command.
    ///
    /// - Parameter typed: Returns the next text that the user types, for `search -`. `nil` at the end.
    package func run(_ words: [String], typed: () async -> String?) async throws -> Bool {
        switch (words.first, words.count, words.dropFirst().first.flatMap { Int($0) }) {
        case ("list", 1, _): try await list()
        case ("show", 2, let id?): try await show(id)
        case ("search", 2, _) where words[1] == "-": await search(each: typed)
        case ("search", 2, _): try await search(words[1])
        case ("rename", 3, let id?) where policy != .cacheOnly: try await rename(id, to: words[2])
        case ("watch", 2, let id?) where policy != .cacheOnly: try await watch(id)
        default: return false
        }
        await client.flush()
        return true
    }

    /// Prints each page when it arrives. In a later run, the pages in the cache are refreshed first.
    private func list() async throws {
        var pages = try await client.fetch(.parcels(), policy)
        for parcel in pages.items { output("\(parcel)") }
        while pages.hasNext, policy != .cacheOnly {
            pages = try await client.fetchNextPage(of: .parcels())
            for parcel in pages.last ?? [] { output("\(parcel)") }
        }
    }

    private func show(_ id: Int) async throws {
        try await output("\(client.fetch(.tracked(id), policy))")
    }

    private func search(_ text: String) async throws {
        let found = try await client.fetch(.parcels(named: text), policy)
        for parcel in found { output("\(parcel)") }
        if found.isEmpty { output("nothing found for \(text)") }
    }

    /// Searches for each text, unless the next one follows before the search has ended.
    private func search(each next: () async -> String?) async {
        var search: Task<Void, Never>?
        while let text = await next() {
            search?.cancel()
            search = client.environment.launch {
                do { try await self.search(text) } catch { if !Task.isCancelled { output(error.userMessage) } }
            }
        }
        await search?.value
    }

    /// Prints the new name when the edit shows it, and again when the server has confirmed it.
    private func rename(_ id: Int, to name: String) async throws {
        _ = try await client.fetch(.tracked(id), .cacheFirst)
        _ = client.value(of: .parcels())  // read from the file, so that the new name shows in it, too
        let shown = client.observe(.tracked(id).enabled(false)) { [output] snapshot in
            if snapshot.isOptimistic, let name = snapshot.value?.parcel.name { output("\(name), not confirmed yet") }
        }
        defer { shown.cancel() }
        try await output("\(client.mutate(RenameParcel(id: id, name: name)).name), confirmed")
    }

    private func watch(_ id: Int) async throws {
        for await snapshot in client.observe(.tracked(id)).select(\.parcel.status) {
            if case .failure(let error) = snapshot.phase { throw error }
            if let status = snapshot.value { output(status.rawValue) }
            if snapshot.value == .delivered { return }
        }
    }
}
