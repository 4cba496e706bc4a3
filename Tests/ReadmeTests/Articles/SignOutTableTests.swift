import Foundation
import Pigeon
import PigeonFleet
import PigeonHTTP
import PigeonREST
import PigeonStore
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Every way to observe × every state in which a sign-out can come × every trigger that can start a fetch by itself.
@MainActor
@Suite("after a sign-out, nothing is asked for until the program asks", .rule("K1"), OwnSharedState())
struct SignOutTableTests {
    @Test(arguments: Face.allCases, Moment.allCases)
    func table(face: Face, moment: Moment) async throws {
        for storage in Storage.allCases {
            let row = "\(face), \(moment), \(storage)"
            let world = World(storage)
            let held = face.observe(world)
            await world.settle()
            await moment.arrive(world)
            #expect(world.origin.count > 0, "nothing was asked for before the sign-out: \(row)")

            await world.signOut()
            await world.settle()
            world.origin.mode = .answers
            let count = world.origin.count
            #expect(held.isEmpty(), "not empty after the sign-out: \(row)")
            #expect(held.isCleared?() ?? true, "does not say that it was cleared: \(row)")
            for trigger in Trigger.allCases {
                await trigger.fire(world)
                guard world.origin.count == count, held.isEmpty() else {
                    Issue.record("\(trigger) asked \(world.origin.count - count) times: \(row)")
                    break
                }
            }
            await world.flush()
            #expect(world.cache.count == 0, "the cache has \(world.cache.count) records: \(row)")

            await held.ask()
            await world.settle()
            #expect(world.origin.count > count, "asking does not fetch: \(row)")
            #expect(!held.isEmpty(), "asking shows nothing: \(row)")
            #expect(!(held.isCleared?() ?? false), "still says that it was cleared: \(row)")
            guard face.polls else { continue }
            let asked = world.origin.count
            world.lab.advance(by: .seconds(11))
            await world.settle()
            #expect(world.origin.count > asked, "does not poll again: \(row)")
        }
    }

    /// A way to observe the definition, from each module.
    enum Face: String, CaseIterable, CustomTestStringConvertible {
        case observer, stream, list, selection, query, closure, consumer, following, pages, paginated, store, resource

        var testDescription: String { rawValue }
        /// True if the client's options let it poll.
        var polls: Bool { ![.resource, .store, .stream].contains(self) }
    }

    /// The state in which the sign-out comes.
    enum Moment: String, CaseIterable, CustomTestStringConvertible {
        case loaded, loading, refetching, retrying, paused, failed, inBackground

        var testDescription: String { rawValue }

        @MainActor
        func arrive(_ world: World) async {
            switch self {
            case .loaded: break
            case .loading:
                world.client.remove(.all)
                world.origin.mode = .hangs
                world.refetch()
            case .refetching:
                world.origin.mode = .hangs
                world.refetch()
            case .retrying, .failed:
                world.origin.mode = .fails
                world.refetch()
                if self == .failed { world.lab.advance(by: .seconds(300)) }
            case .paused:
                world.lab.setOnline(false)
                world.refetch()
            case .inBackground:
                world.lab.setActive(false)
                world.lab.advance(by: .seconds(60))
            }
            await world.settle()
        }
    }

    /// Something that can start a fetch by itself.
    enum Trigger: String, CaseIterable {
        case time, network, foreground, background, memoryPressure, mutation, enqueued, otherMember, otherMemberRemoves
        case otherMemberWrites, defaults, longTime

        @MainActor
        func fire(_ world: World) async {
            let lab = world.lab
            switch self {
            case .time: for _ in 0..<4 { lab.advance(by: .seconds(6)) }
            case .network:
                lab.setOnline(false)
                lab.advance(by: .seconds(60))
                lab.setOnline(true)
            case .foreground:
                lab.setActive(false)
                lab.advance(by: .seconds(60))
                lab.setActive(true)
            case .background:
                lab.setActive(false)
                lab.advance(by: .seconds(60))
            case .memoryPressure:
                lab.setActive(true)
                lab.environment.memoryPressure.set(true)
                lab.environment.memoryPressure.set(false)
            case .mutation:
                let change = lab.start { [client = world.client] in try await client.mutate(Touch()) }
                await world.settle()
                #expect(change.value != nil)
            case .enqueued: _ = lab.start { [client = world.client] in try await client.enqueue(Touch()) }
            case .otherMember: world.other.invalidateWithoutWaiting(.tag("mine"))
            case .otherMemberRemoves: world.other.remove(.tag("mine"))
            case .otherMemberWrites: try? world.other.set("theirs", for: world.definition())
            case .defaults: world.client.setDefaults(for: "me") { $0.staleAfter = .seconds(1) }
            case .longTime: for _ in 0..<10 { lab.advance(by: .seconds(60)) }
            }
            await world.settle()
        }
    }

    enum Storage: String, CaseIterable {
        case memory, persisted, shared, both

        var isPersisted: Bool { self == .persisted || self == .both }
        var isShared: Bool { self == .shared || self == .both }
    }

    /// Changes nothing, and says that everything is stale.
    struct Touch: DurableMutation {
        func run(_ context: MutationContext) async throws -> Int { 1 }
        func invalidates(_ output: Int) -> [KeyFilter] { [.all] }
    }

    /// The server: counts its calls, and answers, fails or hangs.
    final class Origin: Sendable {
        enum Mode { case answers, fails, hangs }

        private let state = Locked((count: 0, mode: Mode.answers))
        private let hanging: ScriptedFetcher<String>

        init(_ lab: QueryLab) { hanging = lab.fetcher(returning: String.self) }

        var count: Int { state.withLock { $0.count } }
        var mode: Mode {
            get { state.withLock { $0.mode } }
            set { state.withLock { $0.mode = newValue } }
        }

        /// Counts a call. `nil` if it is never answered.
        func beginCall() -> Mode? {
            state.withLock { state in
                state.count += 1
                return state.mode == .hangs ? nil : state.mode
            }
        }

        func never() async throws -> String { try await hanging.call() }

        func value() async throws -> String {
            switch beginCall() {
            case .answers: "mine"
            case .fails: throw HTTPError.status(503)
            case .hangs, nil: try await never()
            }
        }
    }

    /// A stream of one value, which then waits for another one without end.
    struct Once: AsyncSequence, Sendable {
        let origin: Origin

        func makeAsyncIterator() -> Iterator { Iterator(origin: origin) }

        struct Iterator: AsyncIteratorProtocol {
            let origin: Origin
            var hasSent = false

            mutating func next() async throws -> String? {
                guard !hasSent else { return try await origin.never() }
                hasSent = true
                return try await origin.value()
            }
        }
    }

    /// A client with all triggers on, and another member of its fleet.
    @MainActor
    final class World {
        let lab: QueryLab
        let cache = InMemoryQueryCache()
        let other: QueryClient
        let origin: Origin
        let storage: Storage
        let client: QueryClient

        init(_ storage: Storage) {
            var options = QueryOptions()
            options.pollEvery = .seconds(5)
            options.pollsInBackground = true
            options.retry = .standard
            options.refetchOnForeground = .always
            options.refetchOnReconnect = .always
            lab = QueryLab()
            let fleet = storage.isShared ? Fleet.Setup(store: InMemoryFleetStore(clock: lab.clock)) : nil
            client = QueryClient(
                cache: cache, outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Touch.self]),
                fleet: fleet,
                options: options, environment: lab.environment)
            other = QueryClient(fleet: fleet, environment: lab.environment)
            origin = Origin(lab)
            self.storage = storage
        }

        func definition(_ key: QueryKey = "me") -> QueryDefinition<String> {
            let definition = QueryDefinition<String>(key) { [origin] _ in try await origin.value() }.tagged("mine")
            let kept = storage.isPersisted ? definition.persisted() : definition
            return storage.isShared ? kept.shared() : kept
        }

        var pages: QueryDefinition<Pages<[String], Int>> {
            let list = QueryDefinition<Pages<[String], Int>>.pages(key: "pages", first: 0) { [origin] page, _ in
                [try await origin.value()]
            } next: { _, page in
                page < 3 ? page + 1 : nil
            }
            return storage.isPersisted ? list.persisted() : list
        }

        func settle() async {
            for _ in 0..<20 {
                lab.settle()
                await Task.yield()
            }
        }

        func flush() async { await drain { [client] in await client.flush() } }

        func signOut() async {
            await drain { [client] in
                do { try await client.clear() } catch { Issue.record(error) }
            }
        }

        func refetch() {
            _ = lab.start { [client] in await client.refetch(.all) }
            lab.settle()
        }

        private func drain<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async {
            let task = lab.start { await work() }
            await until {
                self.lab.settle()
                return task.result != nil
            }
        }
    }

    struct Held {
        let isEmpty: () -> Bool
        var isCleared: (() -> Bool)?
        let ask: () async -> Void
    }
}

extension SignOutTableTests.Face {
    @MainActor
    func observe(_ world: SignOutTableTests.World) -> SignOutTableTests.Held {
        let (client, lab) = (world.client, world.lab)
        switch self {
        case .observer:
            let observer = client.observe(world.definition())
            return .init(isEmpty: { observer.value == nil }, isCleared: { observer.snapshot.isCleared }) {
                _ = lab.start { try await observer.refetch() }
            }
        case .stream:
            let origin = world.origin
            let observer = client.observe(
                QueryDefinition<String>.stream("me") { _ in SignOutTableTests.Once(origin: origin) }.tagged("mine")
            )
            return .init(isEmpty: { observer.value == nil }, isCleared: { observer.snapshot.isCleared }) {
                _ = lab.start { try await observer.refetch() }
            }
        case .list:
            let observer = client.observe(all: [world.definition("me/1"), world.definition("me/2")])
            return .init(
                isEmpty: { observer.snapshots.allSatisfy { $0.value == nil } },
                isCleared: { observer.snapshots.allSatisfy { $0.isCleared } }
            ) {
                _ = lab.start { await client.refetch(.path("me")) }
            }
        case .selection:
            let observer = client.observe(world.definition()).select(\.count)
            let definition = world.definition()
            return .init(isEmpty: { observer.value == nil }, isCleared: { observer.snapshot.isCleared }) {
                _ = lab.start { try await client.fetch(definition) }
            }
        case .query:
            let query = Query(world.definition(), client: client)
            return .init(
                isEmpty: { if case .idle = query.state { query.value == nil } else { false } },
                isCleared: { query.snapshot.isCleared }
            ) {
                client.invalidateWithoutWaiting(.all)
            }
        case .closure:
            let origin = world.origin
            let query = Query<Void, String>(
                key: "me", behavior: .startImmediately(()), pollingBehavior: .pollEvery(5), cache: world.cache,
                client: client
            ) { try await origin.value() }
            return .init(
                isEmpty: { if case .idle = query.state { query.value == nil } else { false } },
                isCleared: { query.snapshot.isCleared }
            ) {
                query.refetch(request: ())
            }
        case .consumer:
            let query = Query(world.definition(), client: client)
            let consumer = Query<Void, String>.Consumer(of: world.definition(), client: client)
            return .init(isEmpty: { consumer.value == nil }, isCleared: { query.snapshot.isCleared }) {
                query.refetch(request: ())
            }
        case .following:
            let leader = Query(world.definition("me"), client: client)
            let query = Query(following: leader) { world.definition("me/\($0)") }
            return .init(isEmpty: { query.value == nil && leader.value == nil }) { leader.refetch(request: ()) }
        case .pages:
            let observer = client.observe(world.pages)
            let pages = world.pages
            return .init(isEmpty: { observer.value == nil }, isCleared: { observer.snapshot.isCleared }) {
                _ = lab.start { try await client.fetchNextPage(of: pages) }
            }
        case .paginated:
            let query = PaginatedQuery(world.pages, client: client)
            return .init(isEmpty: { query.value == nil }, isCleared: { query.snapshot.isCleared }) {
                query.fetchNextPage()
            }
        case .store:
            let cacher = Cacher<String, String>(expireSeconds: 1)
            let store = AnyStoreFlowable.from(
                cacher: cacher, fetcher: OriginFetcher(origin: world.origin), param: "me", client: client)
            let last = Locked<LoadingState<String>?>(nil)
            let reading = lab.start { for await state in store.publish() { last.withLock { $0 = state } } }
            return .init(isEmpty: {
                _ = reading
                return last.withLock { $0?.content == nil }
            }) {
                _ = lab.start { await store.refresh() }
            }
        case .resource:
            let service = Service(
                baseURL: "https://api.test", networking: OriginProvider(origin: world.origin), client: client)
            let resource = service.resource("/me")
            let owner = Owner()
            resource.addObserver(owner: owner) { _, _ in }
            resource.loadIfNeeded()
            return .init(isEmpty: {
                _ = owner
                return resource.latestData == nil
            }) {
                resource.load()
            }
        }
    }

    private final class Owner: Sendable {}

    private struct OriginFetcher: Fetcher {
        let origin: SignOutTableTests.Origin
        func fetch(param: String) async throws -> String { try await origin.value() }
    }

    private struct OriginProvider: NetworkingProvider {
        let origin: SignOutTableTests.Origin

        func startRequest(
            _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
        ) -> any RequestNetworking {
            guard let url = request.url, let mode = origin.beginCall() else { return Exchange() }
            let status = mode == .answers ? 200 : 503
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            completion(response, Data("mine".utf8), nil)
            return Exchange()
        }
    }

    private struct Exchange: RequestNetworking {
        func cancel() {}
        var transferMetrics: RequestTransferMetrics { RequestTransferMetrics() }
    }
}
