public import PigeonCore

/// The operations on a list of any type.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct SimulatedPaging: Sendable {
    /// Number of pages. `nil` if the list was never loaded.
    let count: @Sendable (QueryClient) -> Int?
    let hasNext: @Sendable (QueryClient) -> Bool
    /// Loads a page, and returns true if there are more pages after it.
    let fetch: @Sendable (QueryClient, PageDirection) async throws -> Bool
    let restart: @Sendable (QueryClient) async throws -> Void
    /// Writes the list with only its first page.
    let keepFirst: @Sendable (QueryClient, WritePolicy) -> Void

    init<Page, PageID>(_ make: @escaping @Sendable () -> QueryDefinition<Pages<Page, PageID>>) {
        count = { $0.value(of: make())?.count }
        hasNext = { $0.value(of: make())?.hasNext == true }
        fetch = { client, direction in
            switch direction {
            case .next: try await client.fetchNextPage(of: make()).hasNext
            case .previous: try await client.fetchPreviousPage(of: make()).hasPrevious
            }
        }
        restart = { _ = try await $0.restart(make()) }
        keepFirst = { client, policy in
            guard let list = client.value(of: make()), list.count > 1 else { return }
            let kept = Pages([list.loaded(at: 0)], nextID: list.loaded(at: 1).id, previousID: list.previousID)
            try? client.set(kept, for: make(), during: policy)
        }
    }
}

/// The server of a ``SimulatedQuery`` that is loaded page by page. The simulation decides when and how it answers.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedPageEndpoint<Page: Sendable, PageID: Sendable>: Sendable {
    let pages: @Sendable (Int, PageID) -> Page
    let server: SimulatedServer
    let hooks: SimulatedHooks

    /// Returns the page that the server had at the moment the request arrived.
    ///
    /// - Throws: An error of the simulated network or server, or `CancellationError` if the load is cancelled.
    public func page(_ id: PageID, _ context: FetchContext<Pages<Page, PageID>>) async throws -> Page {
        let name = context.key.queryKeyValue
        let origin = "\(name) \(context.run.generation)"
        hooks.reach(.fetcher)
        // Only the first request of an attempt is checked. Its other pages follow in any case.
        if hooks.world?.begins("\(origin) \(context.attempt)", of: name) == true {
            let isPage = [.nextPage, .previousPage].contains(context.cause.origin)
            hooks.world?.checkRequest(of: name, attempt: context.attempt, isPage: isPage, context.cause)
        }
        let (_, answer) = try await server.ask(name, .page(0), deaf: false, origin: origin)
        guard case .page(let page) = answer else { throw SimulatedError(statusCode: nil) }
        return pages(page.version, id)
    }
}
