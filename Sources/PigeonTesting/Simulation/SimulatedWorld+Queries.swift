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
        hooks.reach(.fetcher)
        let tag = validates ? context.validators.eTag : nil
        let origin = "\(name) \(context.run.generation)"
        if let tag { hooks.world?.check(tag, of: name, against: context.previous, attempt: context.attempt) }
        hooks.world?.checkRequest(of: name, attempt: context.attempt, isPage: false, context.cause)
        hooks.world?.checkRetry(origin, attempt: context.attempt)
        hooks.world?.noteAsk(of: name, context.run.generation, isFirst: context.attempt == 1)
        let yield: @Sendable (SimulatedValue) -> Void = { context.yield($0) }
        let (call, answer) = try await server.ask(
            name, .whole(tag: tag), deaf: deaf, origin: origin, attempt: context.attempt,
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
    private func noteAsk(of name: String, _ generation: UInt64, isFirst: Bool) {
        guard let subject = named[name] else { return }
        if isFirst, generation < subject.model.newestFetch { subject.model.written.insert(server.nextNumber) }
        subject.model.newestFetch = max(subject.model.newestFetch, generation)
    }

    /// Checks the tag of a conditional request, which must belong to the value that the request has.
    private func check(_ tag: String, of name: String, against previous: SimulatedValue?, attempt: Int) {
        guard previous.map({ "\(name) \($0.version)" }) != tag else { return }
        named[name]?.isSpoilt = true
        let rule: SimulationRule =
            if attempt > 1 {
                .validatorsOfRetry
            } else if let previous, previous.version < 0 {
                .validatorsOfEdit
            } else {
                .validators
            }
        let version = previous.map { "state \($0.version)" } ?? "nothing"
        found(rule, "attempt \(attempt) of \(name) asks with the tag of \(tag), and has \(version)")
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
        let origin = "\(name) \(context.run.generation)"
        let isPage = [.nextPage, .previousPage].contains(context.cause.origin)
        if !isPage { hooks.world?.noteRefresh(of: name, origin) }
        hooks.reach(.fetcher)
        if hooks.world?.begins("\(origin) \(context.attempt)", of: name) == true {
            hooks.world?.checkRequest(of: name, attempt: context.attempt, isPage: isPage, context.cause)
        }
        hooks.world?.checkRetry(origin, attempt: context.attempt)
        let (_, answer) = try await server.ask(name, .page(id), deaf: name == "list" && id % 2 == 0, origin: origin)
        guard case .page(let page) = answer else { throw SimulatedError(statusCode: nil) }
        return page
    }

    /// Records the first request of a refresh of a list.
    func noteRefresh(of name: String, _ origin: String) {
        if begins(origin, of: name) { named[name]?.model.refreshes.append(server.stamp()) }
    }

    /// Returns true if a request is the first one of a fetch or of an attempt. The other pages follow in any case.
    func begins(_ fetch: String, of name: String) -> Bool {
        named[name]?.model.begun.insert(fetch).inserted ?? false
    }

    /// Checks the time of a retry. The server may have asked to wait longer.
    func checkRetry(_ origin: String, attempt: Int) {
        // If an entry was removed, the numbers of its fetches start again.
        guard let process, let until = busyUntil.removeValue(forKey: "\(lives) \(origin)"), attempt > 1 else { return }
        guard process.clock.now() < until else { return }
        found(.retryAfter, "a retry of \(origin) comes \(process.clock.now().duration(to: until)) too early")
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
