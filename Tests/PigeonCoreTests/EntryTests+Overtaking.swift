import PigeonCore
import TestSupport
import Testing

@Suite("The entry: fetches that run beside a newer one")
struct EntryOvertaking {
    /// An observed entry that shows `Ann`, with fetches 2, 3 and 4 in flight.
    private func machine(fetches: Int = 3, _ change: (inout QueryOptions) -> Void = { _ in }) -> Machine {
        var machine = Machine(change)
        machine.receive(.observe(1, change))
        machine.receive(.value("Ann", of: 1))
        for _ in 0..<fetches { machine.receive(.fetchConcurrently) }
        return machine
    }

    @Test("a newer fetch begins beside the one that runs, which is not stopped")
    func begins() {
        var machine = machine(fetches: 1)
        #expect(
            machine.receive(.fetchConcurrently) == ["fetching (requested)", "start 3 (requested)", "notify"])
        #expect(machine.state == "Ann, fetching 3")
        #expect(machine.entry.isUnderWay(2) && machine.entry.isUnderWay(3))
    }

    @Test("an answer that was asked later than what is shown lands, while a newer fetch is under way", .rule("A32"))
    func landsInOrder() {
        var machine = machine()
        #expect(machine.receive(.value("two", of: 2)) == ["fresh (requested)", "persist", "notify"])
        #expect(machine.state == "two, fetching 4")
        machine.receive(.value("three", of: 3))
        #expect(machine.state == "three, fetching 4")
        #expect(machine.receive(.value("four", of: 4)).contains("settle value"))
        #expect(machine.state == "four, idle")
    }

    @Test("an answer that was asked before what is shown never lands, and its fetch is stopped", .rule("A32"))
    func olderNeverLands() {
        var machine = machine()
        #expect(machine.receive(.value("three", of: 3)).prefix(2) == ["stop 2", "cancelled (superseded)"])
        #expect(machine.receive(.value("two", of: 2)) == ["late answer dropped (superseded)"])
        #expect(machine.state == "three, fetching 4")
        machine.receive(.value("four", of: 4))
        #expect(machine.receive(.value("three again", of: 3)) == ["late answer dropped (superseded)"])
        #expect(machine.state == "four, idle")
    }

    @Test("an older fetch that fails or ends says nothing while a newer one is under way, and is not retried")
    func olderFailure() {
        var machine = machine()
        #expect(machine.receive(.failure(of: 2, retryIn: .seconds(1))) == ["late answer dropped (superseded)"])
        #expect(machine.receive(.answer(generation: 3, .cancelled)).isEmpty)
        #expect(machine.state == "Ann, fetching 4")
        #expect(!machine.entry.isUnderWay(2) && !machine.entry.isUnderWay(3))
    }

    @Test("when the newest fails, its error is known, and the older one is the newest again")
    func newestFails() {
        var machine = machine(fetches: 2)
        #expect(machine.receive(.failure(of: 3)).contains("settle first"))
        #expect(machine.state == "Ann, fetching 2, invalidated, failed first")
        machine.receive(.value("two", of: 2))
        #expect(machine.state == "two, idle")
    }

    @Test("cancelling the newest leaves the older one, and those who wait wait for that")
    func cancelNewest() {
        var machine = machine(fetches: 2)
        machine.receive(.join)
        #expect(
            machine.receive(.cancelFetch(generation: 3, .requested)) == ["stop 3", "cancelled (requested)", "notify"])
        #expect(machine.state == "Ann, fetching 2, 1 waiting")
        #expect(machine.receive(.value("two", of: 2)).contains("settle value"))
        #expect(machine.state == "two, idle")
    }

    @Test("cancelling an older one leaves the newest")
    func cancelOlder() {
        var machine = machine(fetches: 2)
        #expect(machine.receive(.cancelFetch(generation: 2, .requested)) == ["stop 2", "cancelled (requested)"])
        #expect(machine.receive(.value("two", of: 2)) == ["late answer dropped (superseded)"])
        #expect(machine.state == "Ann, fetching 3")
    }

    enum End: CaseIterable {
        case cancel, reset, replace, restart
    }

    @Test("whatever ends the newest for all ends the older ones too", arguments: End.allCases)
    func endsAll(_ end: End) {
        var machine = machine()
        let effects =
            switch end {
            case .cancel: machine.receive(.cancel(.requested))
            case .reset: machine.receive(.reset(initial: nil, .requested))
            case .replace: machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
            case .restart: machine.receive(.refetchNow)
            }
        #expect(effects.filter { $0.hasPrefix("stop") } == ["stop 2", "stop 3", "stop 4"])
        machine.receive(.value("three", of: 3))
        #expect(machine.value == (end == .reset ? nil : "Ann"))
    }

    @Test("a fetch that waits to be tried again is given up for a newer one")
    func waiting() {
        var machine = machine(fetches: 1)
        machine.receive(.failure(of: 2, retryIn: .seconds(5)))
        #expect(machine.receive(.fetchConcurrently).first == "cancelled (superseded)")
        #expect(!machine.entry.isUnderWay(2))
        #expect(machine.pass(6).isEmpty)
    }

    @Test("each has its own time limit")
    func timeLimits() {
        var machine = machine(fetches: 1) { $0.timeLimit = .seconds(5) }
        machine.seconds = 3
        machine.receive(.fetchConcurrently)
        #expect(machine.due == 2)
        #expect(machine.pass(2) == ["stop 2", "cancelled (time limit)"])
        #expect(machine.state == "Ann, fetching 3")
    }

    @Test("what was invalidated or overridden after a fetch was asked for is so for each of them")
    func marks() {
        var invalidated = machine()
        invalidated.receive(.invalidate(.none))
        invalidated.receive(.value("two", of: 2))
        #expect(invalidated.state == "two, fetching 4, invalidated")
        var overridden = machine()
        overridden.receive(.write("mine", keep: true))
        overridden.receive(.value("two", of: 2))
        #expect(overridden.state == "mine, fetching 4")
    }

    @Test("a value on the way of an older fetch lands, and makes those before it useless")
    func yields() {
        var machine = machine()
        #expect(machine.receive(.yield(generation: 3, .of("three"))).prefix(2) == ["stop 2", "cancelled (superseded)"])
        #expect(machine.state == "three, fetching 4")
    }

    @Test("a page waits for all of them")
    func pages() {
        var machine = machine(fetches: 2)
        machine.receive(.loadPage(.next))
        machine.receive(.failure(of: 3))
        #expect(machine.entry.side?.next.flight?.phase == .waiting)
        #expect(machine.receive(.value("two", of: 2)).contains("start next page 4"))
    }
}
