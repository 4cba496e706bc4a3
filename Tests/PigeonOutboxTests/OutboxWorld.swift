import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport

/// A world in which programs enqueue mutations, crash and start again, while the network, the server and the disk fail. A
/// seed decides what happens.
final class OutboxWorld: RandomWorld {
    private let random: SeededRandom
    private let store = MutationStoreDouble()
    private let server = NotesServer()
    private var programs: [NotesProgram] = []
    private var count = 0
    private var isOnline = true
    /// Seconds since the start.
    private var time = 0
    /// Seconds by which the wall clock was set forward.
    private var shift = 0

    var log: [String] = []
    var problem: String?

    /// A mutation that was enqueued.
    private struct Accepted {
        var number: Int64
        var scope: String?
        var change: String
        /// The note that it renames. A later rename takes its place.
        var note: Int?
    }

    private var accepted: [Accepted] = []
    /// Changes of which the program was not told whether they are recorded or gone. They may be made or not.
    private var uncertain: Set<String> = []
    /// Changes that were given up before the server made them.
    private var givenUp: Set<String> = []
    /// Enqueueing that has not returned.
    private var open: [(program: Int, change: String, scope: String?, note: Int?, task: LabTask<Int64?>)] = []
    private var lives = 0
    /// The program whose sign-out failed, and which tries again.
    private var failedClear: Int?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        programs = [boot()]
    }

    // MARK: Programs

    private func boot() -> NotesProgram {
        lives += 1
        // All processes of a machine have the same clock.
        let program = NotesProgram(
            store, server, isOnline: isOnline, seed: random.next(), startingAfter: Double(time + shift))
        try? program.client.set(["server"], for: .notes)
        // The first frame.
        let texts = program.outbox.waiting.compactMap { ($0.mutation as? AddNote)?.text }
        let shown = program.notes ?? []
        if !texts.allSatisfy(shown.contains) { found("the first frame shows \(shown) instead of \(texts)") }
        program.lab.settle()
        return program
    }

    private func crash(_ index: Int) {
        note("crash \(index)")
        for call in open where call.program == index { uncertain.insert(call.change) }
        open.removeAll { $0.program == index }
        if failedClear == index { failedClear = nil }
        programs[index] = boot()
    }

    private func settle() {
        for program in programs { program.lab.settle() }
        collect()
    }

    private func collect() {
        open.removeAll { call in
            guard let result = call.task.result else { return false }
            switch result {
            case .success(let number?):
                note("\(call.change) has number \(number)")
                accepted.append(
                    Accepted(number: number, scope: call.scope, change: call.change, note: call.note))
                // A sign-out that failed is repeated, and may come later than what another program enqueues.
                if let failedClear, failedClear != call.program { uncertain.insert(call.change) }
            case .success(nil): givenUp.insert(call.change)
            case .failure: uncertain.insert(call.change)
            }
            return true
        }
    }

    // MARK: Steps

    func step() {
        let index = random.below(programs.count)
        switch random.below(25) {
        case 0..<7: add(index)
        case 7..<10: rename(index)
        case 10: failNext()
        case 11:
            note("lose answers")
            server.loseAnswers(1 + random.below(2))
        case 12:
            note("hold")
            server.hold()
        case 13:
            note("release")
            server.release()
        case 14: setOnline(!isOnline)
        case 15, 16: wait(1 + random.below(40))
        case 17: crash(index)
        case 18:
            if programs.count < 2 {
                note("second program")
                programs.append(boot())
            } else {
                crash(1)
            }
        case 19: failStore()
        case 20:
            change(index) {
                $0.waiting
            } by: { outbox, item in
                try await outbox.discard(item.id)
            }
        case 21: retry(index)
        case 22: edit(index)
        case 23: setClock()
        default: if random.once(in: 6) { clear(index) }
        }
        settle()
    }

    private func add(_ index: Int) {
        count += 1
        let scope = random.pick(["a", "b", nil]) ?? nil
        var mutation = AddNote("n\(count)", scope: scope)
        mutation.after = random.pick([.wait, .proceed]) ?? .wait
        if random.once(in: 8) { mutation.limit = 1 }
        enqueue(mutation, mutation.text, scope, nil, index)
    }

    private func rename(_ index: Int) {
        count += 1
        let id = 1 + random.below(2)
        enqueue(RenameNote(id: id, title: "t\(count)"), "\(id)=t\(count)", "notes", id, index)
    }

    private func enqueue<M: DurableMutation>(
        _ mutation: M, _ change: String, _ scope: String?, _ id: Int?, _ index: Int
    ) {
        note("enqueue \(change) in \(index)")
        let client = programs[index].client
        let task = programs[index].lab.start { try await client.enqueue(mutation).id }
        open.append((index, change, scope, id, task))
    }

    private func failNext() {
        guard let item = random.pick(programs[0].outbox.waiting), let change = change(of: item) else { return }
        let status = random.pick([500, 503, 422]) ?? 503
        note("fail \(change) with \(status)")
        server.fail(change, status: status)
    }

    private func failStore() {
        let applies = random.once(in: 2)
        note("the store fails \(applies ? "after" : "before") the next batch")
        store.failNext(afterApplying: applies)
    }

    private func setOnline(_ isOnline: Bool) {
        note(isOnline ? "online" : "offline")
        self.isOnline = isOnline
        for program in programs { program.lab.setOnline(isOnline) }
    }

    /// Sets the wall clock of the machine forward or back, by a second to 30 days.
    private func setClock() {
        let amount = random.pick([1, 30, 90, 3600, 86_400, 2_592_000]) ?? 1
        let seconds = random.once(in: 2) ? amount : -amount
        note("set the clock by \(seconds)")
        shift += seconds
        for program in programs { program.lab.shiftWallClock(by: .seconds(seconds)) }
    }

    private func wait(_ seconds: Int) {
        note("wait \(seconds)")
        time += seconds
        // All processes go on at the same time, so that each can renew its lease.
        for _ in 0..<seconds {
            for program in programs { program.lab.advance(by: .seconds(1)) }
        }
    }

    private func change(of item: OutboxItem) -> String? {
        switch item.mutation {
        case let mutation as AddNote: mutation.text
        case let mutation as RenameNote: "\(mutation.id)=\(mutation.title)"
        default: nil
        }
    }

    /// Gives up a mutation.
    private func change(
        _ index: Int, _ items: (OutboxSnapshot) -> [OutboxItem],
        by change: @escaping @Sendable (Outbox, OutboxItem) async throws -> Void
    ) {
        guard let item = random.pick(items(programs[index].outbox)), let text = self.change(of: item) else { return }
        note("discard \(text) in \(index)")
        let task = programs[index].start { try await change($0, item) }
        switch task.result {
        // The server may have made it, if the answer was lost, or may be making it for another program.
        case .success:
            if server.requests.contains(where: { $0.change == text }) {
                uncertain.insert(text)
            } else {
                givenUp.insert(text)
            }
            // With it goes what another program has made of it, of which this one may not know yet.
            for other in accepted where other.number == item.id && other.change != text {
                uncertain.insert(other.change)
            }
            // With a rename, those whose place it took are gone.
            let note = (item.mutation as? RenameNote)?.id
            for other in accepted where other.note != nil && other.note == note { uncertain.insert(other.change) }
        case .failure(OutboxError.notWaiting): break
        case .failure, nil: uncertain.insert(text)
        }
    }

    private func retry(_ index: Int) {
        guard let item = random.pick(programs[index].outbox.setAside) else { return }
        retry(item.id, index)
    }

    private func retry(_ id: Int64, _ index: Int) {
        note("retry \(id) in \(index)")
        wasSetAside.insert(id)
        _ = programs[index].start { try await $0.retry(id) }
    }

    private func edit(_ index: Int) {
        let items = programs[index].outbox.waiting.filter { $0.mutation is AddNote }
        guard let item = random.pick(items), let old = change(of: item) else { return }
        count += 1
        let new = "n\(count)"
        note("edit \(old) to \(new) in \(index)")
        let task = programs[index].start { try await $0.edit(item.id, as: AddNote.self) { $0.text = new } }
        switch task.result {
        case .success:
            uncertain.insert(old)
            accepted.append(Accepted(number: item.id, scope: item.scope, change: new))
            if let failedClear, failedClear != index { uncertain.insert(new) }
        case .failure(OutboxError.notWaiting): note("too late")
        case .failure, nil: uncertain.formUnion([old, new])
        }
    }

    private func clear(_ index: Int) {
        note("clear \(index)")
        let before = Set(server.made)
        let client = programs[index].client
        let task = programs[index].lab.start { try await client.clear() }
        for call in open { uncertain.insert(call.change) }
        guard case .success = task.result else {
            for item in accepted { uncertain.insert(item.change) }
            failedClear = index
            return
        }
        let cleared = accepted.map(\.change).filter { !before.contains($0) }
        // Another program may be making one at this moment.
        let running = Set(programs.flatMap { $0.outbox.waiting }.compactMap(change(of:)))
        for change in cleared {
            if running.contains(change) || programs.count > 1 {
                uncertain.insert(change)
            } else {
                givenUp.insert(change)
            }
        }
    }

    // MARK: Checks

    func check() {
        for program in programs { wasSetAside.formUnion(program.outbox.setAside.map(\.id)) }
        let made = server.made
        if Set(made).count != made.count { found("made twice: \(made)") }
        if let change = made.first(where: givenUp.contains) { found("\(change) was made after it was given up") }
        let numbers = Dictionary(accepted.map { ($0.change, ($0.number, $0.scope)) }) { first, _ in first }
        var last: [String: Int64] = [:]
        for change in made {
            guard let (number, scope) = numbers[change], let scope, !uncertain.contains(change) else { continue }
            if let before = last[scope], before > number, !wasSetAside.contains(number) {
                found("\(change) was made after a later mutation of its scope \(scope): \(made)")
            }
            last[scope] = max(number, last[scope] ?? 0)
        }
    }

    /// What was refused once. Later mutations may have gone ahead of it.
    private var wasSetAside: Set<Int64> = []

    func finish() {
        note("the end")
        setOnline(true)
        store.failNext(afterApplying: nil)
        server.loseAnswers(0)
        for _ in 0..<60 {
            server.release()
            settle()
            check()
            for index in programs.indices {
                for item in programs[index].outbox.setAside { retry(item.id, index) }
            }
            if programs.allSatisfy({ $0.outbox.isEmpty }), open.isEmpty { break }
            wait(60)
        }
        let left = programs.flatMap { $0.outbox.waiting + $0.outbox.setAside }.map(\.id)
        if !left.isEmpty || !open.isEmpty { found("left over: \(left), \(open.map(\.change))") }
        check()
        let made = Set(server.made)
        for item in accepted where item.note == nil {
            let isLost = !made.contains(item.change) && !uncertain.contains(item.change)
            if isLost, !givenUp.contains(item.change) { found("\(item.change) was accepted, and is lost") }
        }
        for id in Set(accepted.compactMap(\.note)) {
            // The last one counts, and those of which it is not known whether they took its place.
            let renames = accepted.filter { $0.note == id }.map(\.change)
            guard let last = renames.last, !uncertain.contains(last), !givenUp.contains(last) else { continue }
            let others = uncertain.filter { $0.hasPrefix("\(id)=") }
            if made.isDisjoint(with: others.union([last])) { found("\(last) was accepted, and is lost") }
        }
    }
}
