import DemoServer
import Pigeon
import PigeonHTTP

/// The server fails, asks for patience, and goes away; the program goes on showing what it has.
enum Failing: Scene {
    static let title = "A failing server, answered from the cache"
    static let need: String? = "it orders faults from the demo's own server; --url servers take no such orders"

    static func play(_ stage: Stage) async throws {
        guard let server = stage.server else { return }
        let user = stage.client.observe(definition(stage))
        stage.read("a screen shows user 3, \(name(user)), from the cache")
        try await recover(user, server, stage)
        try await wait(user, server, stage)
        try await giveUp(user, server, stage)
        try await goOffline(user, server, stage)
    }

    private static func definition(_ stage: Stage) -> QueryDefinition<User> {
        .user(3, stage.api).retry(RetryPolicy(limit: 2, delay: { .milliseconds(40 << $0) }, hasJitter: false))
    }

    private static func recover(_ user: QueryObserver<User>, _ server: DemoServer, _ stage: Stage) async throws {
        server.faults = .failing(["/users"], status: 503, times: 2)
        stage.say("the next 2 requests fail")
        try await user.refetch()
        stage.read("the screen shows \(name(user)), confirmed by the third attempt")
        stage.check("2 failures, no error on screen", user.snapshot.error == nil)
    }

    private static func wait(_ user: QueryObserver<User>, _ server: DemoServer, _ stage: Stage) async throws {
        server.faults = .failing(["/users"], status: 503, retryAfter: 1, times: 1)
        stage.say("the next request fails, and the server asks to wait 1 s")
        let start = stage.timeline.elapsed
        try await user.refetch()
        stage.read("the screen shows \(name(user))")
        stage.check("Retry-After was kept to", stage.timeline.elapsed - start >= .seconds(1))
    }

    private static func giveUp(_ user: QueryObserver<User>, _ server: DemoServer, _ stage: Stage) async throws {
        server.faults = .failing(["/users"], status: 503)
        stage.say("every request fails from now on")
        let result = await Task { try await user.refetch() }.result
        let error = user.snapshot.error.map { "\($0)" } ?? "no error"
        stage.read("the screen shows \(name(user)), and beside it: \(error)")
        stage.check(
            "after 3 attempts the data is still there, the error beside it",
            result.failure != nil && user.value != nil && user.snapshot.error is HTTPError)
    }

    private static func goOffline(_ user: QueryObserver<User>, _ server: DemoServer, _ stage: Stage) async throws {
        let network = stage.client.environment.connectivity
        server.faults = .offline
        stage.say("the server hangs up on everybody")
        _ = await Task { try await user.refetch() }.result
        stage.read("the screen shows \(name(user)) all the same")
        network.set(false)
        stage.say("the system says that the network is gone")
        let sent = stage.traffic.counts.sent
        let waiting = Task { try await stage.client.refetch(definition(stage)) }
        try await stage.until("the fetch to be paused") { user.snapshot.isPaused }
        stage.read("the screen shows \(name(user)); the fetch waits for the network")
        let others = (4...10).compactMap { stage.client.value(of: .user($0, stage.api)) }
        stage.read(
            "\(others.count) rows show theirs, from \(others.first?.name ?? "") to \(others.last?.name ?? "")", times: 7
        )
        stage.check("nothing was sent into the void", stage.traffic.counts.sent == sent)
        server.faults = .none
        network.set(true)
        _ = try await waiting.value
        stage.read("the network is back, and the screen shows \(name(user)), confirmed")
        stage.check("the error is gone", user.snapshot.error == nil)
    }

    private static func name(_ user: QueryObserver<User>) -> String { user.value?.name ?? "nothing" }
}
