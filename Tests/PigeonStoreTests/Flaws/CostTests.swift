import PigeonTesting
import TestSupport
import Testing

@testable import PigeonStore

@Suite("The cost of a store")
struct CostTests {
    @Test("F1: the state of a picture is made once, however many receive it")
    func oneState() throws {
        let desk = TextDesk()
        _ = desk.follow(having: "a")
        let client = desk.lab.client
        let core = client.attach(desk.store().store.definition)
        let picture = try #require(client.picture(for: core))
        let made = ShownStateOf<String>.shown(by: picture)
        #expect(ShownStateOf<String>.shown(by: picture) === made)
        #expect(ShownStateOf<String>.state(of: picture).state.word == "a")
        // Another type of data has a state of its own.
        #expect(ShownStateOf<Int>.state(of: picture).state.word == emptied)
        #expect(ShownStateOf<String>.shown(by: picture) === made)
        client.detach(core)
    }

    @Test("F1: a state takes at most 5 locks for each subscriber of a list, whose items are read once")
    func notification() async {
        let desk = ListDesk()
        let store = desk.list()
        let first = store.publish().sink { _ in }
        desk.origin.answer("first", Slice(1, next: "2"))
        _ = desk.lab.start { await store.requestNextData() }
        desk.origin.answer("2", Slice(2))
        let locksForOne = countLocks { desk.lab.invalidate(.all) }
        desk.origin.answer("first", Slice(1, next: "2"))
        let more = (0..<10).map { _ in store.publish().sink { _ in } }
        let locksForMore = countLocks { desk.lab.invalidate(.all) }
        #expect(locksForMore > locksForOne)
        #expect(locksForMore - locksForOne <= 10 * 5, "\(locksForMore) and \(locksForOne)")
        withExtendedLifetime((first, more)) {}
    }
}
