import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("A source of truth is freed when let go")
struct SourceLifetimeTests {
    private let lab = QueryLab()

    private struct Held {
        weak var client: QueryClient?
        weak var source: ScriptedSource?
        weak var queue: JobQueue?

        var isFreed: Bool { client == nil && source == nil && queue == nil }
    }

    /// Returns weak references to a client and a source after `use` has released them.
    private func held(
        _ content: String?, _ use: (QueryClient, ScriptedSource, QueryDefinition<String>) -> Void
    ) -> Held {
        var held = Held()
        do {
            let client = QueryClient(environment: lab.environment)
            let source = ScriptedSource(content)
            held.client = client
            held.source = source
            held.queue = source.queue
            let definition = SourceDesk.definition(
                "users", source, lab.fetcher(returning: String.self), lab.fetcher(returning: String.self))
            use(client, source, definition)
        }
        lab.settle()
        return held
    }

    @Test("A client, its source and the queue are freed, whatever was done")
    func used() {
        let held = held("Ann") { client, source, definition in
            let observer = client.observe(definition)
            _ = lab.start { try await client.change(definition) { [weak source] in source?.put("Bea") } }
            _ = lab.start { try await client.look(at: definition) == nil }
            client.invalidate(.key("users"))
            source.changeOutside("Cid")
            client.remove(.key("users"))
            withExtendedLifetime(observer) {}
        }
        #expect(held.isFreed)
    }

    @Test("A client is freed during a fetch and a page load, and cancels them")
    func duringFetch() {
        let pages = lab.fetcher(returning: String.self)
        let server = lab.fetcher(returning: String.self)
        weak var client: QueryClient?
        do {
            let made = QueryClient(environment: lab.environment)
            client = made
            let one = SourceDesk.definition("one", ScriptedSource("Ann"), server, pages)
            let two = SourceDesk.definition("two", ScriptedSource(), server, pages)
            let observers = [made.observe(one), made.observe(two)]
            let task = lab.start { [weak made] in
                try await made?.page(.next, of: one) == nil
            }
            #expect(server.pendingCount == 1 && pages.pendingCount == 1)
            task.cancel()
            withExtendedLifetime(observers) {}
        }
        lab.settle()
        #expect(client == nil)
        #expect(server.pendingCount == 0 && pages.pendingCount == 0)
    }

    @Test("An entry is freed with its values once it is removed")
    func entries() {
        let desk = SourceDesk("Ann")
        weak var payload: Payload?
        do {
            _ = desk.consult(.nothing)
            payload = desk.entry?.shown
        }
        #expect(payload != nil)
        desk.client.dropUnobserved()
        #expect(payload == nil)
    }

    @Test("Watching ends with the client")
    func watching() {
        let source = ScriptedSource("Ann")
        do {
            let client = QueryClient(environment: lab.environment)
            let definition = SourceDesk.definition(
                "users", source, lab.fetcher(returning: String.self), lab.fetcher(returning: String.self))
            let observer = client.observe(definition)
            #expect(source.watcherCount == 1)
            withExtendedLifetime(observer) {}
        }
        lab.settle()
        #expect(source.watcherCount == 0)
    }

    @Test("An entry that was only looked at, or whose change threw, is collected at its time")
    func collected() {
        let desk = SourceDesk("Ann")
        _ = desk.look()
        _ = desk.lab.start { try await desk.client.change(desk.definition("others")) { throw Trouble.first } }
        #expect(desk.client.count == 2)
        desk.lab.advance(by: .seconds(360))
        #expect(desk.client.count == 0)
    }

    @Test(
        "A source that hangs does not keep the client, whose fetches end with it",
        arguments: ["read", "save", "add", "mark stale", "clear"])
    func hanging(_ function: String) {
        let server = lab.fetcher(returning: String.self)
        let pages = lab.fetcher(returning: String.self)
        let source = ScriptedSource("Ann") { [lab] in lab.settle() }
        weak var client: QueryClient?
        do {
            let made = QueryClient(environment: lab.environment)
            client = made
            let definition = SourceDesk.definition("users", source, server, pages)
            let observer = made.observe(definition)
            let page = lab.start { [weak made] in
                try await made?.page(.next, of: definition) == nil
            }
            page.cancel()
            source.hold(function)
            pages.succeed(with: "Bea")
            if function != "add" { made.invalidate(.key("users")) }
            if server.pendingCount > 0 { server.succeed(with: "Cid") }
            if function == "clear" { made.remove(.key("users")) }
            if function == "read" {
                let task = lab.start { [weak made] in try await made?.look(at: definition) == nil }
                task.cancel()
            }
            let other = made.observe(SourceDesk.definition("others", ScriptedSource(), server, pages))
            #expect(source.pendingCount == 1 && server.pendingCount >= 1)
            withExtendedLifetime((observer, other)) {}
        }
        #expect(client == nil)
        lab.settle()
        #expect(server.pendingCount == 0)
        source.release()
        #expect(source.pendingCount == 0)
    }
}
