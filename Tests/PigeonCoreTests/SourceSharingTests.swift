import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Sharing a source of truth")
struct SourceSharingTests {
    private let desk = SourceDesk("Ann")

    @Test("Two clients over one source do one thing at a time, and both see what is there")
    func twoClients() {
        let second = QueryClient(environment: desk.lab.environment)
        let mine = desk.observe()
        let other = second.observe(desk.user)
        desk.source.hold("save")
        _ = desk.consult(.always(.requested))
        let task = desk.lab.start { [user = desk.user] in try await second.consult(user, .always(.requested)) }
        #expect(desk.server.pendingCount == 2)
        desk.server.succeed(0, with: "Bea")
        desk.server.succeed(1, with: "Cid")
        #expect(desk.source.pendingCount == 1)
        desk.source.release()
        #expect(task.value == "Cid")
        #expect(desk.source.content == "Cid")
        #expect(desk.source.mostAtOnce == 1)
        #expect(other.snapshot.brief == "Cid")
        desk.source.changeOutside("Dan")
        #expect(mine.snapshot.brief == "Dan" && other.snapshot.brief == "Dan")
    }

    @Test("Two keys over one source do one thing at a time")
    func twoKeys() {
        desk.source.hold("read")
        let observers = [desk.client.observe(desk.user), desk.client.observe(desk.definition("others"))]
        #expect(desk.source.pendingCount == 1)
        desk.source.release()
        #expect(observers.map(\.snapshot.brief) == ["Ann", "Ann"])
        #expect(desk.source.mostAtOnce == 1)
    }

    /// A source that returns its content at once, and does not notify of changes.
    private final class ReadySource: AnySource {
        let queue = JobQueue()
        let readsAtOnce = true
        private let content = Locked<String?>("Ann")

        func readNow() -> SourceContent? {
            content.withLock { $0 }.map { SourceContent(PayloadOf($0), .known(isStale: false)) }
        }
        func read() async throws -> SourceContent? { readNow() }
        func isStale(_ payload: Payload) async throws -> Bool { false }
        func save(_ payload: Payload, at date: Date) async throws {}
        func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool { false }
        func clear() async throws { content.withLock { $0 = nil } }
        func markStale() async throws {}
        func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? { nil }
    }

    @Test("A source that can be read at once is not read before an emptying that was asked for earlier")
    func readsInTurn() {
        let (source, client) = (ReadySource(), desk.client)
        let definition: @Sendable (QueryKey) -> QueryDefinition<String> = { key in
            QueryDefinition(key: key, fetcher: AnyFetcher(source: source) { _ in .failure(CancellationError()) })
                .staleAfter(.never)
        }
        let others = Locked<QueryObserver<String>?>(nil)
        let observer = client.observe(definition("users")) { snapshot in
            guard snapshot.value == nil, others.withLock({ $0 == nil }) else { return }
            // The entry is empty, and its source has not been emptied yet.
            let other = client.observe(definition("others"))
            others.withLock { $0 = other }
        }
        #expect(observer.value == "Ann")
        _ = desk.lab.start { try await client.clear(definition("users")) }
        #expect(others.withLock { $0 != nil })
        #expect(others.withLock { $0?.value } == nil)
    }

    // MARK: Re-entrancy

    static let functions = ["read", "save", "add", "clear", "mark stale", "onChange"]

    @Test("A source may use its client from every function", arguments: functions)
    func reenters(_ function: String) {
        let observers = Locked<[QueryObserver<String>]>([])
        let calls = Recorder<String>()
        desk.source.on(function) { [desk, client = desk.client] in
            guard calls.all.count < 3 else { return }
            calls.append(function)
            let other = client.observe(desk.definition("others"))
            observers.withLock { $0.append(other) }
            _ = desk.lab.start { try await client.consult(desk.user, .ifStale(.requested)) }
            _ = desk.lab.start { try await client.change(desk.definition("others")) {} }
            client.invalidate(.key("others"))
            client.cancel(.key("others"))
            _ = client.entries()
        }
        let observer = desk.observe()
        let page = desk.page()
        desk.pages.succeed(with: "Bea")
        _ = desk.consult(.always(.requested))
        desk.client.invalidate(.key("users"))
        for _ in 0..<4 { if desk.server.pendingCount > 0 { desk.server.succeed(with: "Cid") } }
        #expect(desk.source.content == "Cid")
        #expect(observer.snapshot.value == "Cid")
        _ = desk.clear()
        desk.lab.settle()
        #expect(calls.all.contains(function))
        #expect(page.result != nil)
        #expect(desk.source.mostAtOnce == 1)
        desk.source.on(function) {}
        let last = desk.change(to: "Dan")
        #expect(last.value == true)
        #expect(observer.snapshot.brief == "Dan")
        observers.withLock { $0 = [] }
    }

    @Test("An observer may use the client, and its source, when it is told")
    func observersReenter() {
        let tasks = Locked<[LabTask<Bool>]>([])
        let observer = desk.client.observe(desk.user) { [desk] snapshot in
            guard snapshot.value == "Bea" else { return }
            let task = desk.change(to: "Cid")
            tasks.withLock { $0.append(task) }
        }
        _ = desk.change(to: "Bea")
        desk.lab.settle()
        #expect(observer.snapshot.brief == "Cid")
        #expect(tasks.withLock { $0.map(\.value) } == [true])
    }
}
