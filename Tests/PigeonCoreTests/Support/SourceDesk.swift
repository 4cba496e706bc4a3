import PigeonCore
import PigeonTesting

/// The fixture of the suites about sources: a lab, a source, a server that the test answers, and a query that uses
/// them.
struct SourceDesk {
    let lab: QueryLab
    let source: ScriptedSource
    let server: ScriptedFetcher<String>
    let pages: ScriptedFetcher<String>
    let user: QueryDefinition<String>

    init(_ content: String? = nil, budget: Int? = nil, ignoringCancellation: Bool = false) {
        lab = QueryLab(budget: budget)
        source = ScriptedSource(content) { [lab] in lab.settle() }
        server = lab.fetcher(returning: String.self, ignoringCancellation: ignoringCancellation)
        pages = lab.fetcher(returning: String.self, ignoringCancellation: ignoringCancellation)
        user = Self.definition("users", source, server, pages)
    }

    static func definition(
        _ key: QueryKey, _ source: ScriptedSource, _ server: ScriptedFetcher<String>, _ pages: ScriptedFetcher<String>
    ) -> QueryDefinition<String> {
        let fetcher = AnyFetcher(pager: TextPager(pages), source: source) { run in
            do {
                let value = try await server.fetch(FetchContext(run: run))
                return run.isNotModified ? .notModified : .value(PayloadOf(value))
            } catch {
                return .failure(error)
            }
        }
        return QueryDefinition(key: key, fetcher: fetcher).staleAfter(.never)
    }

    /// Loads pages of words from the server. A text that ends with a full stop has no next page.
    private final class TextPager: Pager {
        private let pages: ScriptedFetcher<String>

        init(_ pages: ScriptedFetcher<String>) {
            self.pages = pages
        }

        func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool {
            (pages as? PayloadOf<String>).map { direction == .previous || !$0.value.hasSuffix(".") } ?? false
        }

        func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)? {
            guard canLoad(direction, from: pages) else { return nil }
            let whole = (pages as? PayloadOf<String>)?.value ?? ""
            return TextPage(try await self.pages.fetch(FetchContext(run: run)), direction, of: whole)
        }
    }

    var client: QueryClient { lab.client }
    var entry: Entry? { client.inspect().entries["users"]?.entry }

    func definition(_ key: QueryKey) -> QueryDefinition<String> {
        Self.definition(key, source, server, pages)
    }

    /// The text that the entry shows.
    var shown: String? { (entry?.shown as? PayloadOf<String>)?.value }

    // MARK: Operations

    func observe(_ change: (QueryDefinition<String>) -> QueryDefinition<String> = { $0 }) -> QueryObserver<String> {
        client.observe(change(user))
    }

    func consult(_ demand: Demand) -> LabTask<String> {
        lab.start { [client, user] in try await client.consult(user, demand) }
    }

    /// Starts a task that changes the text of the source, as the program does.
    func change(to text: String?) -> LabTask<Bool> {
        lab.start { [client, user, source] in
            try await client.change(user) { source.put(text) }
            return true
        }
    }

    func clear() -> LabTask<Bool> {
        lab.start { [client, user] in
            try await client.clear(user)
            return true
        }
    }

    func look() -> LabTask<String> {
        lab.start { [client, user] in
            try await client.look(at: user) ?? "nothing"
        }
    }

    func page(_ direction: PageDirection = .next, repeatsFailed: Bool = true) -> LabTask<String> {
        lab.start { [client, user] in
            try await client.page(direction, of: user, repeatsFailed: repeatsFailed) ?? "loaded"
        }
    }
}

extension QueryClient {
    /// Waits for a fetch in flight, and then reads the source in its queue.
    func look<Value>(at definition: QueryDefinition<Value>) async throws -> Value? {
        try await awaitFetch(of: definition)
        guard let source = definition.fetcher?.source else { return nil }
        let found = SharedOneShot<Payload?>()
        source.queue.add {
            do {
                found.resolve(.success(try await source.read()?.payload))
            } catch {
                found.resolve(.failure(error))
            }
        }
        source.queue.run(environment.launch)
        return (try await found.value(onCancel: .resolves) as? PayloadOf<Value>)?.value
    }

    /// Requests a page, unless it has no place.
    ///
    /// - Returns: The reason why it has none. `nil` if the page was added.
    func page<Value>(
        _ direction: PageDirection, of definition: QueryDefinition<Value>, repeatsFailed: Bool = true
    ) async throws -> String? {
        try await requestPage(direction, of: definition) { entry -> String? in
            if entry.isBusy { return "loading" }
            if let failure = entry.failure { return "failed: \(failure.error)" }
            guard let shown = entry.shown else { return "nothing there" }
            guard definition.fetcher?.pager?.canLoad(direction, from: shown) == true else { return "the end" }
            if !repeatsFailed, let failure = entry.side?[direction].error { return "failed before: \(failure.error)" }
            return nil
        }
    }
}
