import PigeonCore

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// The built-in keys of a simulation. Definitions are created again for each use, as in programs.
    static func builtIn(_ server: SimulatedServer, _ hooks: SimulatedHooks) -> [SimulatedSubject] {
        typealias Definition = QueryDefinition<SimulatedValue>
        func value(
            _ name: String, deaf: Bool = false, validates: Bool = false, plain: Bool = false,
            _ policy: @escaping @Sendable (Definition) -> Definition = { $0 }
        ) -> SimulatedSubject {
            server.addResource(name, items: nil)
            let key = key(name)
            return valueSubject(name, server, hooks, deaf: deaf, plain: plain) {
                policy(
                    Definition(key) { context in
                        try await fetchValue(
                            name, context, server, hooks, deaf: deaf, validates: validates, plain: plain)
                    })
            }
        }
        return [
            value("a/1"),
            value("a/2") { $0.staleAfter(.seconds(20)).retry(3) },
            value("a/2/deep") { $0.whenAbandoned(.cancel).keepFor(.seconds(5)) },
            value("b/1", deaf: true) { $0.poll(every: .seconds(7)).tagged("t") },
            value("b/2", validates: true) { $0.persisted().staleAfter(.minutes(1)).tagged("t", "u") },
            value("c", deaf: true, validates: true) {
                $0.networkMode(.offlineFirst).retry(2).timeLimit(.seconds(40)).persisted()
            },
            value("d", validates: true, plain: true) {
                $0.persisted().staleAfter(.never).retry(2).timeLimit(.seconds(100))
            },
            numbered(server, hooks), feed(server, hooks), source(server, hooks),
        ]
    }

    static func key(_ name: String) -> QueryKey {
        QueryKey(canonical: name)
    }

    private static func valueSubject(
        _ name: String, _ server: SimulatedServer, _ hooks: SimulatedHooks, deaf: Bool, plain: Bool,
        _ make: @escaping @Sendable () -> QueryDefinition<SimulatedValue>
    ) -> SimulatedSubject {
        let subject = SimulatedSubject(hooks: hooks, isKnown: true, make) { SeenValue($0) }
        subject.isDeaf = deaf
        subject.isPlain = plain
        subject.mutate = { subject, client, number, style in
            let edit = SimulatedEdit(
                number: number, style: style, subject: subject, definition: make, server: server, hooks: hooks)
            _ = try await client.mutate(edit)
        }
        subject.set = { client, stamp, policy in
            try? client.set(
                SimulatedValue(call: stamp, version: -1, isPlain: plain), for: make(), during: policy)
        }
        subject.update = { client, policy, stamp in
            client.update(make(), during: policy) { value in
                value.call = stamp()
                hooks.reach(.edit)
            }
        }
        subject.truth = { _ in
            SeenValue(
                SimulatedValue(call: 0, version: server.version(of: name), edits: server.edits(of: name)))
        }
        return subject
    }

    private static func fetchValue(
        _ name: String, _ context: FetchContext<SimulatedValue>, _ server: SimulatedServer, _ hooks: SimulatedHooks,
        deaf: Bool, validates: Bool, plain: Bool
    ) async throws -> SimulatedValue {
        let sent = hooks.fetcherCalled(
            SimulatedRequest(
                context, tag: validates ? context.validators.eTag : nil, previous: context.previous?.version))
        hooks.world?.noteAsk(sent)
        let yield: @Sendable (SimulatedValue) -> Void = { context.yield($0) }
        let (call, answer) = try await server.ask(
            name, .whole(tag: sent.tag), deaf: deaf, origin: sent.origin, attempt: sent.attempt,
            yield: validates ? nil : yield)
        guard case .value(let version, let edits) = answer else {
            let value = try context.notModified()
            // The previous value dates from the start of the fetch, and may have been replaced since.
            hooks.world?.named[name]?.model.mutated.insert(value.call)
            return value
        }
        if validates { context.validators.eTag = "\(name) \(version)" }
        return SimulatedValue(call: call, version: version, edits: edits, isPlain: plain)
    }

    /// Records a request. A fetch that user code delayed sends its request after those of fetches that were requested
    /// later.
    private func noteAsk(_ sent: SimulatedRequest) {
        guard let subject = named[sent.name] else { return }
        let isFirst = sent.attempt == 1
        if isFirst, sent.generation < subject.model.newestFetch { subject.model.written.insert(server.nextNumber) }
        subject.model.newestFetch = max(subject.model.newestFetch, sent.generation)
    }

    // MARK: Lists

    /// A list of numbered pages, in both directions.
    private static func numbered(_ server: SimulatedServer, _ hooks: SimulatedHooks) -> SimulatedSubject {
        listSubject("list", server, hooks, items: nil) {
            .pages(
                key: key("list"), first: 0, fetch: $0, next: { page, _ in page.next },
                previous: { page, _ in page.previous })
        }
    }

    /// A list with cursors that changes while it is paged, and that is polled, persisted and retried.
    private static func feed(_ server: SimulatedServer, _ hooks: SimulatedHooks) -> SimulatedSubject {
        listSubject("feed", server, hooks, items: [7, 6, 5, 4, 3, 2, 1]) {
            .pages(key: key("feed"), first: .max, fetch: $0, next: { page, _ in page.next })
                .poll(every: .seconds(5)).retry(2).persisted()
        }
    }

    private static func listSubject(
        _ name: String, _ server: SimulatedServer, _ hooks: SimulatedHooks, items: [Int]?,
        _ make:
            @escaping @Sendable (
                @escaping @Sendable (Int, PageContext<SimulatedPage>) async throws -> SimulatedPage
            ) -> QueryDefinition<SimulatedList>
    ) -> SimulatedSubject {
        server.addResource(name, items: items)
        let definition: @Sendable () -> QueryDefinition<SimulatedList> = {
            make { id, context in
                try await fetchPage(id, name, context, server, hooks)
            }
        }
        let subject = SimulatedSubject(hooks: hooks, isKnown: true, definition) { SeenValue($0) }
        subject.paging = SimulatedPaging(definition)
        subject.update = { client, policy, _ in
            client.update(definition(), during: policy) { list in
                hooks.reach(.edit)
                list.updatePage(at: 0) { $0.edits += 1 }
            }
        }
        subject.truth = { seen in
            var pages: [SimulatedPage] = []
            var id = seen.pages?.first?.id
            while let asked = id, pages.count < max(1, seen.pages?.count ?? 0) {
                pages.append(server.page(asked, of: name, call: 0))
                id = pages.last?.next
            }
            var truth = SeenValue(version: server.version(of: name))
            truth.pages = pages
            truth.nextID = id
            return truth
        }
        return subject
    }

    private static func fetchPage(
        _ id: Int, _ name: String, _ context: PageContext<SimulatedPage>, _ server: SimulatedServer,
        _ hooks: SimulatedHooks
    ) async throws -> SimulatedPage {
        let sent = hooks.fetcherCalled(SimulatedRequest(context))
        let (_, answer) = try await server.ask(
            name, .page(id), deaf: name == "list" && id % 2 == 0, origin: sent.origin)
        guard case .page(let page) = answer else { throw SimulatedError(statusCode: nil) }
        return page
    }

    // MARK: Sources

    private static func source(_ server: SimulatedServer, _ hooks: SimulatedHooks) -> SimulatedSubject {
        let name = "s"
        server.addResource(name, items: nil)
        let source = SimulatedSource()
        let make: @Sendable () -> QueryDefinition<SimulatedValue> = {
            QueryDefinition(
                key: key(name),
                fetcher: AnyFetcher(source: source) { run in
                    do {
                        let context = FetchContext<SimulatedValue>(run: run)
                        return .value(
                            PayloadOf(
                                try await fetchValue(
                                    name, context, server, hooks, deaf: false, validates: false, plain: false)))
                    } catch {
                        return .failure(error)
                    }
                }
            ).staleAfter(.never)
        }
        let subject = SimulatedSubject(hooks: hooks, isKnown: true, make) { SeenValue($0) }
        subject.source = source
        subject.sourceDefinition = make
        subject.truth = { _ in SeenValue(SimulatedValue(call: 0, version: server.version(of: name))) }
        return subject
    }
}
