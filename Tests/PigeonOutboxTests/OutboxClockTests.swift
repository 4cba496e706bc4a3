import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

/// A time by which a person, or the network's time, sets the wall clock.
private let shifts: [TimeInterval] = [1, 30, 90, 3600, 86_400, 2_592_000].flatMap { [$0, -$0] }

@Suite("A wall clock that is set while mutations wait")
struct OutboxClockTests {
    /// Advances programs together, second by second, until a change is made.
    ///
    /// - Returns: The number of seconds. `nil` if it is not made within the limit.
    private func wait(
        for change: String, at server: NotesServer, upTo limit: Int, _ programs: NotesProgram...
    ) -> Int? {
        for second in 0...limit {
            for program in programs { program.lab.settle() }
            if server.made.contains(change) { return second }
            for program in programs { program.lab.advance(by: .seconds(1)) }
        }
        return nil
    }

    @Test("a wait that the server asked for is as long as it said", .rule("K8", "A4", "O3"), arguments: shifts)
    func retryAfter(shift: TimeInterval) {
        let program = NotesProgram()
        program.server.fail("milk", with: NotesServer.Failure(statusCode: 429, retryAfter: .seconds(5)))
        program.enqueue(AddNote("milk"))
        program.lab.advance(by: .seconds(1))
        program.lab.shiftWallClock(by: .seconds(shift))
        let due = program.lab.environment.wallClock() + 4
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.time(due))])
        // Anything that makes the outbox look at its mutations again.
        program.lab.setOnline(false)
        program.lab.setOnline(true)
        #expect(wait(for: "milk", at: program.server, upTo: 10, program) == 4)
    }

    @Test(
        "an attempt during which the clock is set is followed by one after the policy's wait", .rule("K8", "A4"),
        arguments: shifts
    )
    func duringAttempt(shift: TimeInterval) {
        let program = NotesProgram()
        program.server.hold()
        program.server.fail("milk", with: NotesServer.Failure(statusCode: 503, retryAfter: .seconds(3)))
        program.enqueue(AddNote("milk"))
        program.enqueue(AddNote("bread", scope: "other"))
        program.lab.shiftWallClock(by: .seconds(shift))
        program.lab.advance(by: .seconds(7))  // the lease is renewed
        program.server.release()
        #expect(wait(for: "milk", at: program.server, upTo: 10, program) == 3)
        #expect(program.server.made.contains("bread"))
        #expect(program.server.requests.count == 3)
    }

    @Test("a program alone with its store never waits for another process", .rule("K8", "A4", "O7"), arguments: shifts)
    func alone(shift: TimeInterval) {
        let program = NotesProgram()
        program.server.fail("milk", with: NotesServer.Failure(statusCode: 503, retryAfter: .seconds(2)))
        program.enqueue(AddNote("milk"))
        program.lab.shiftWallClock(by: .seconds(shift))
        #expect(program.outbox.waiting.map(\.stage) == [.waiting(.time(program.lab.environment.wallClock() + 2))])
        program.lab.advance(by: .seconds(2))
        #expect(program.server.made == ["milk"])
        program.lab.shiftWallClock(by: .seconds(shift))
        program.enqueue(AddNote("bread"))
        #expect(program.server.made == ["milk", "bread"])
    }

    @Test(
        "another process takes over from one that ended without notice, however the clock is set",
        .rule("K8", "A4", "O7"),
        arguments: shifts)
    func takingOver(shift: TimeInterval) {
        let first = NotesProgram()
        first.server.hold()
        first.enqueue(AddNote("milk"))
        let second = NotesProgram(first.store, first.server, seed: 2)
        second.lab.settle()
        #expect(second.outbox.waiting.map(\.stage) == [.waiting(.otherProcess)])
        second.lab.shiftWallClock(by: .seconds(shift))
        first.server.release()
        // A clock that was set back by less than a minute makes the first process's lease longer by that.
        let limit = 6 + (shift < 0 && shift > -60 ? Int(-shift) : 0)
        #expect(wait(for: "milk", at: second.server, upTo: limit, second) != nil)
    }

    @Test(
        "a program that runs keeps its lease from another one, if both see the clock set", .rule("K8", "A4", "O7"),
        arguments: shifts
    )
    func keeping(shift: TimeInterval) {
        let first = NotesProgram()
        first.server.hold()
        first.enqueue(AddNote("milk"))
        let second = NotesProgram(first.store, first.server, seed: 2)
        second.lab.settle()
        for lab in [first.lab, second.lab] { lab.shiftWallClock(by: .seconds(shift)) }
        // The first process renews its lease before the second one looks at it again.
        for _ in 0..<20 { for lab in [first.lab, second.lab] { lab.advance(by: .seconds(1)) } }
        #expect(Set(second.server.requests.map(\.key)).count == 1)
        second.server.release()
        for lab in [first.lab, second.lab, first.lab, second.lab] { lab.advance(by: .seconds(6)) }
        #expect(second.server.made == ["milk"])
        #expect(first.outbox.isEmpty && second.outbox.isEmpty)
    }

    @Test(
        "a mutation is too old after its age has passed, and not because the clock was set", .rule("K8", "A4", "O3"),
        arguments: shifts)
    func age(shift: TimeInterval) {
        var mutation = AddNote("milk", scope: nil)
        mutation.age = .seconds(60)
        let (program, late) = (NotesProgram(isOnline: false), NotesProgram(isOnline: false))
        for program in [program, late] {
            program.enqueue(mutation)
            program.lab.shiftWallClock(by: .seconds(shift))
        }
        program.lab.advance(by: .seconds(59))
        program.lab.setOnline(true)
        #expect(program.server.made == ["milk"])
        late.lab.advance(by: .seconds(61))
        late.lab.setOnline(true)
        #expect(late.server.made.isEmpty && late.outbox.setAside.count == 1)
    }

    @Test("a store that failed is tried again after its pause", .rule("K8", "A4", "O3"), arguments: shifts)
    func store(shift: TimeInterval) {
        let store = MutationStoreDouble()
        let program = NotesProgram(store)
        program.server.hold()
        program.enqueue(AddNote("milk"))
        store.fail(true)
        program.server.release()
        program.lab.settle()
        program.lab.shiftWallClock(by: .seconds(shift))
        store.fail(false)
        program.lab.advance(by: .seconds(3))
        #expect(program.outbox.isEmpty)
    }

    @Test("drain returns at its deadline, counted from the call", .rule("K8", "A4", "O6"), arguments: shifts)
    func drain(shift: TimeInterval) {
        let program = NotesProgram()
        program.server.hold()
        program.enqueue(AddNote("milk"))
        let drain = program.start { await $0.drain(within: .seconds(10)) }
        program.lab.shiftWallClock(by: .seconds(shift))
        program.lab.advance(by: .seconds(9))
        #expect(drain.result == nil)
        program.lab.advance(by: .seconds(1))
        #expect(drain.value == 1)
    }

    @Test(
        "what was retried has its whole age, and other processes read times of the wall clock", .rule("K8", "A4", "O3"),
        arguments: shifts)
    func stored(shift: TimeInterval) throws {
        let first = NotesProgram()
        first.lab.shiftWallClock(by: .seconds(shift))
        first.server.fail("milk", with: NotesServer.Failure(statusCode: 429, retryAfter: .seconds(600)))
        first.enqueue(AddNote("milk"))
        let record = try #require(try first.store.changes(after: -1, in: nil)?.records.first)
        #expect(
            abs(try #require(record.progress.notBefore).timeIntervalSince(first.lab.environment.wallClock()) - 600) < 1)
        let second = NotesProgram(first.store, first.server, seed: 2, startingAfter: shift)
        second.lab.advance(by: .seconds(598))
        #expect(second.server.made.isEmpty)
        second.lab.advance(by: .seconds(3))
        #expect(second.server.made == ["milk"])
    }
}
