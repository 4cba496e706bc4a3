import TestSupport
import Testing

/// Random programs with a list, its pages, a search, details, posts with their authors, and a queue of changes. Their server
/// answers late, out of order, with errors or never; they sign out, crash and start again. `PIGEON_SEEDS` runs more of them.
///
/// The rules are those of ``ItemWorld``. `scripts/mutants.txt` has breaks of the engine that they should find. Without the order of
/// requests ("A100: An answer to an earlier request replaces a newer item"), for example, a late answer breaks the rule `order`.
@Suite("Simulation of items", .serialized)
struct ItemSimulationTests {
    @Test(.rule("A97", "A98", "A99", "A100", "A101", "A102"), arguments: 0..<4)
    func `no rule is broken in random programs with items`(part: Int) {
        let seeds = seedCount()
        for seed in part * seeds..<(part + 1) * seeds {
            guard let failure = ItemWorld.failure(seed: UInt64(seed), steps: 80) else { continue }
            Issue.record("seed \(seed), \(failure)")
            return
        }
    }

    @Test func `the programs show items in several places, and changes of them`() {
        var counts = (shared: 0, optimistic: 0, unsettled: 0)
        for seed: UInt64 in 0..<20 {
            let world = ItemWorld(seed: seed)
            for action in ItemWorld.script(seed: seed, steps: 80) { world.perform(action) }
            counts.shared += world.counts.shared
            counts.optimistic += world.counts.optimistic
            counts.unsettled += world.counts.unsettled
            world.close()
        }
        #expect(counts.shared > 1_000 && counts.optimistic > 20 && counts.unsettled > 20)
    }

    struct Script: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let actions: [ItemWorld.Action]

        init(_ description: String, _ actions: [ItemWorld.Action]) {
            (testDescription, self.actions) = (description, actions)
        }
    }

    // The places: 0 the list, 1 its pages, 2 the search, 3 and 4 the details of users 1 and 2, 5 the posts, 6 the first post.
    private static let scripts: [Script] = [
        Script(
            "a page that comes to a list with a confirmed change is news of that page alone",
            [
                .observe(5), .like(1, writes: .set, invalidates: false), .nextPage, .change(2), .join, .answer(3),
                .answer(13), .answer(0), .nextPage, .answer(0), .answer(0),
            ]),
        Script(
            "a list does not go back to the older user of its own answer when the detail with the newer one is gone",
            [.fetch(0), .answer(0), .fetch(0), .change(1), .fetch(3), .answer(1), .evict(3), .answer(0)]),
        Script(
            "a newer post with an older author brings the post, and not the author",
            [
                .fetch(6), .answer(0), .changePost(1), .fetch(5), .change(1), .fetch(3), .answer(1),
                .answer(0),
            ]),
        Script(
            "an edit of a user does not spread the older user of a list that waits",
            [
                .fetch(0), .answer(0), .fetch(0), .like(1, writes: .nothing, invalidates: false), .answer(1),
                .change(1), .fetch(3), .answer(1), .observe(0), .mark(1, fetchWins: false),
            ]),
        Script(
            "a change that is confirmed during a fetch is shown once, whichever answer is the first",
            [
                .fetch(0), .answer(0), .fetch(3), .answer(0), .fetch(0),
                .like(1, writes: .nothing, invalidates: false), .handle(1), .fetch(3), .answer(2), .answer(1),
                .answer(0),
            ]),
        Script(
            "what was asked for before a sign-out is not shown after it",
            [
                .observe(0), .answer(0), .fetch(0), .fetch(3), .like(1, writes: .update, invalidates: true),
                .likeLater(2), .signOut, .answer(0), .answer(0), .fetch(4), .answer(0),
            ]),
        Script(
            "a change that waits shows in what is read and fetched after a restart, once",
            [
                .fetch(0), .answer(0), .fetch(5), .answer(0), .network(false), .likeLater(1),
                .restart(flushes: true), .network(false), .observe(0), .observe(5), .network(true), .fetch(3),
                .answer(0),
            ]),
    ]

    @Test(.rule("A99", "A100", "A101", "A102"), arguments: scripts)
    func `no rule is broken in the order of a script`(script: Script) {
        if let failure = ItemWorld.play(script.actions, isLogged: true) { Issue.record("\(failure)") }
    }
}
