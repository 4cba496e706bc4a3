import Pigeon
import PigeonTesting
import Testing

@MainActor
@Suite("Callbacks that use the query they are told of")
struct ReentrancyTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `the first state may start the fetch, and is followed by all others`() {
        let users = Users(key: "users", cache: InMemoryQueryCache(), client: lab.client) { [ann] }
        var states: [String] = []
        let subscription = users.statePublisher.sink { state in
            states.append("\(state)")
            if case .idle = state { users.refetch(request: ()) }
        }
        lab.settle()
        #expect(states == ["idle", "loading", "succeed([Ann])"])
        subscription.cancel()
    }

    @Test func `a subscriber may refetch on failure, and others see each state once and in order`() {
        let users = lab.users(server)
        let before = StateLog(users)
        var retries = 0
        let subscription = users.statePublisher.sink { state in
            guard case .failed = state, retries < 2 else { return }
            retries += 1
            users.refetch(request: ())
        }
        let after = StateLog(users)
        users.refetch(request: ())
        for _ in 0..<3 { server.fail() }
        let expected = [
            "idle", "loading", "failed(Broken)", "loading", "failed(Broken)", "loading", "failed(Broken)",
        ]
        #expect(before.states == expected)
        #expect(
            after.states.filter { $0 != "loading" } == expected.filter { $0 != "loading" }
                || after.states.last == "failed(Broken)")
        #expect(zip(after.states, after.states.dropFirst()).allSatisfy { $0 != $1 || $0.hasPrefix("failed") })
        subscription.cancel()
    }

    @Test func `a subscriber may cancel`() {
        let users = lab.users(server)
        let subscription = users.statePublisher.sink { state in
            if state.isLoading { users.cancel() }
        }
        users.refetch(request: ())
        #expect("\(users.state)" == "idle")
        server.succeed(with: [ann])
        #expect("\(users.state)" == "idle")
        subscription.cancel()
    }

    @Test func `objectWillChange may change more, and the newest state stays`() {
        let users = lab.users(server, .startImmediately(()))
        var hasCancelled = false
        let subscription = users.objectWillChange.sink {
            guard !hasCancelled else { return }
            hasCancelled = true
            users.cancel()
            users.refetch(request: ())
        }
        server.succeed(with: [ann])
        #expect(users.state.isLoading)
        #expect(users.value == [ann])
        server.succeed(with: [bob])
        #expect(users.state.value == [bob])
        subscription.cancel()
    }

    @Test func `a subscriber may let the query go`() {
        var users: Users? = lab.users(server)
        weak let gone = users
        let subscription = users?.statePublisher.sink { state in
            if state.value != nil { users = nil }
        }
        users?.refetch(request: ())
        server.succeed(with: [ann])
        #expect(users == nil)
        #expect(gone == nil)
        subscription?.cancel()
    }

    @Test func `a subscriber may subscribe and unsubscribe others`() {
        let users = lab.users(server)
        var logs: [StateLog] = []
        var victim: AnyCancellable?
        var seenByVictim = 0
        let subscription = users.statePublisher.sink { _ in
            logs.append(StateLog(users))
            victim?.cancel()
        }
        victim = users.statePublisher.sink { _ in seenByVictim += 1 }
        users.refetch(request: ())
        #expect(seenByVictim == 1)
        #expect(logs.first?.states == ["idle", "loading"])
        #expect(logs.last?.states == ["loading"])
        subscription.cancel()
    }

    @Test func `a fetcher may use its query`() {
        let slot = Locked<Users?>(nil)
        let calls = Locked(0)
        let users = Users(key: "users", cache: InMemoryQueryCache(), client: lab.client) {
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            if count == 1 { await MainActor.run { slot.withLock { $0 }?.refetch(request: ()) } }
            return [ann]
        }
        slot.withLock { $0 = users }
        users.refetch(request: ())
        lab.settle()
        #expect(users.snapshot.activity == .idle || users.snapshot.isFetching)
        slot.withLock { $0 = nil }
    }

    @Test func `a listener of events may use the query`() {
        let users = lab.users(server)
        let hasSeen = Locked(false)
        let subscription = lab.client.onEvent { event in
            guard case .failed = event.kind, !hasSeen.withLock({ $0 }) else { return }
            hasSeen.withLock { $0 = true }
            MainActor.assumeIsolated { users.refetch(request: ()) }
        }
        users.refetch(request: ())
        server.fail()
        #expect(users.state.isLoading)
        #expect(server.callCount == 2)
        subscription.cancel()
    }
}
