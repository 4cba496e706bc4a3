import Pigeon
import PigeonHTTP

/// A query asks again and again by itself; and an answer without a body keeps what is there.
enum Polling: Scene {
    static let title = "Polling, and a 304 that keeps the value"

    static func play(_ stage: Stage) async throws {
        let ticks = try await poll(stage)
        stage.check("4 answers, each 1 more than the last, shown on 2 screens", ticks)
        try await revalidate(stage)
    }

    private static func poll(_ stage: Stage) async throws -> Bool {
        let (api, traffic) = (stage.api, stage.traffic)
        let isOwn = stage.server != nil
        stage.say("a clock polls every 150 ms; a badge shows the same")
        let definition = QueryDefinition<Clock>("clock") { _ in
            // Other servers have no clock: what they poll is a user, and who counts is the client.
            if isOwn { return try await api.value(from: .get("/clock")) }
            let _: User = try await api.value(from: .get("/users/1"))
            return Clock(tick: traffic.counts.sent)
        }
        .poll(every: .milliseconds(150))
        let clock = Query(definition, client: stage.client)
        let badge = Query(definition, client: stage.client)
        var (seen, shown): ([Int], Int) = ([], 0)
        let screens = [
            stage.screen(of: clock) { clock in
                seen.append(clock.tick)
                stage.read("the clock shows tick \(clock.tick)")
            },
            stage.screen(of: badge) { clock in
                shown += 1
                stage.read("the badge shows tick \(clock.tick)")
            },
        ]
        try await stage.until("4 ticks on 2 screens") { seen.count == 4 && shown == 4 }
        screens.forEach { $0.cancel() }
        return zip(seen, seen.dropFirst()).allSatisfy { $1 == $0 + 1 }
    }

    private static func revalidate(_ stage: Stage) async throws {
        let (client, before) = (stage.client, stage.tally)
        let definition = QueryDefinition.post(2, stage.api)
        stage.say("post 2 is asked for twice, though both times fresh")
        let first = try await client.refetch(definition)
        stage.read("post 2 is \"\(first.title.shortened(to: 40))\"")
        let second = try await client.refetch(definition)
        stage.read("post 2 is still \"\(second.title.shortened(to: 40))\", confirmed just now")
        let isNotModified = stage.tally.notModified - before.notModified == 1
        guard stage.server != nil || isNotModified else {
            return stage.say("the server answered in full: it knows no If-None-Match")
        }
        stage.check("the second answer was a 304, and the value stayed", isNotModified && second == first)
    }
}
