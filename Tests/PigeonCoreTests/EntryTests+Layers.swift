import PigeonCore
import TestSupport
import Testing

@Suite("The entry: optimistic layers")
struct EntryLayers {
    static let changes: [Row] = [
        Row(
            .content, "a layer", .layers(.pending(7), shown: PayloadOf("Bea")), "Bea, idle, 1 layer",
            "changed optimistically (written)", "notify"),
        Row(
            .optimistic, "no layer", .layers(nil, shown: PayloadOf("Ann")), "Ann, idle", "rolled back (written)",
            "notify"),
        Row(.optimistic, "its confirmation", .confirm(7), "Bea, idle", "persist", "notify"),
        Row(.optimistic, "another's confirmation", .confirm(8), "Bea, idle, 1 layer"),
        Row(.content, "a confirmation", .confirm(7), "Ann, idle"),
    ]

    @Test("layers are put on, taken off, and folded into the base", .rule("A22"), arguments: changes)
    func changesAsTabled(_ row: Row) {
        row.check(row.situation.machine())
    }

    @Test("a refetch replaces only the base", .rule("A22"))
    func refetch() {
        var machine = Situation.optimistic.machine()
        machine.receive(.fetchNow)
        machine.receive(.answer(generation: 2, .value(.of("Cid", shown: "Cid, changed"))))
        #expect(machine.base == "Cid")
        #expect(machine.state == "Cid, changed, idle, 1 layer")
    }

    @Test("a layer confirmed during a fetch outlives that fetch, and not the next", .rule("A22"))
    func confirmedDuringFetch() {
        var machine = Situation.optimistic.machine()
        machine.receive(.fetchNow)
        machine.receive(.confirm(7))
        #expect(machine.state == "Bea, fetching 2, 1 layer")
        #expect(machine.entry.layersSurviving(answerOf: 2).count == 1)
        #expect(machine.entry.layersSurviving(answerOf: 3).isEmpty)
    }

    @Test("a confirmed layer is folded when the fetch that kept it is cancelled", .rule("A22"))
    func foldedOnCancel() {
        var machine = Situation.optimistic.machine()
        machine.receive(.fetchNow)
        machine.receive(.confirm(7))
        machine.receive(.cancel(.requested))
        #expect(machine.state == "Bea, idle")
        #expect(machine.base == "Bea")
    }

    @Test("a confirmed layer waits for those that are pending", .rule("A22"))
    func waitsForPending() {
        var machine = Situation.content.machine()
        machine.receive(.layers(.pending(7, 8), shown: PayloadOf("both")))
        #expect(machine.receive(.confirm(7)).isEmpty)
        #expect(machine.state == "both, idle, 2 layer")
        machine.receive(.confirm(8))
        #expect(machine.state == "both, idle")
    }

    @Test("A commit that includes a layer's result removes the layer")
    func landingDropsLayer() {
        var machine = Situation.optimistic.machine()
        let old = machine.entry.stack
        machine.receive(.fetchNow)
        machine.receive(.answer(generation: 2, .value(.of("Bea", shown: "Bea", layers: []))))
        #expect(machine.state == "Bea, idle")
        #expect(machine.discarded.contains { $0 === old })
    }

    @Test("An entry with layers is not collected")
    func notCollected() {
        var machine = Situation.optimistic.machine()
        machine.receive(.detach(observer: 1))
        #expect(machine.due == nil)
        machine.receive(.confirm(7))
        #expect(machine.due == 300)
    }

    @Test("The state that a commit is prepared from has a revision, which every change increases")
    func revisions() {
        var machine = Situation.content.machine()
        var last = machine.entry.revision
        let inputs: [EntryInput] = [
            .layers(.pending(7), shown: PayloadOf("Bea")), .confirm(7), .write("Cid"),
            .reset(initial: nil, .cleared), .hydrate("Dan"),
        ]
        for input in inputs {
            machine.receive(input)
            #expect(machine.entry.revision > last)
            last = machine.entry.revision
        }
    }
}
