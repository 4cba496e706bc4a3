import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport

/// Creates a thing, perhaps in another one that does not exist yet. The server gives it its text as a number.
struct MakeThing: DurableMutation {
    var text: String
    var id = TemporaryID<Int>.make()
    var parent: TemporaryID<Int>?
    var scope: String?
    var assignsNothing = false

    init(_ text: String, id: TemporaryID<Int> = .make(), in parent: TemporaryID<Int>? = nil, scope: String? = nil) {
        (self.text, self.id, self.parent, self.scope) = (text, id, parent, scope)
    }

    func run(_ context: MutationContext) async throws -> Int {
        _ = try await context[NotesServer.self].make(change, context)
        return Int(text) ?? 0
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.notes) { [text] in $0.append(text) } }
    func assigns(_ output: Int) -> [AssignedID] { assignsNothing ? [] : [id.becomes(output)] }
    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        (earlier as? MakeThing)?.id == id ? .replacing : .separate
    }

    /// The request.
    var change: String { "+\(text)\(parent.map { " in \($0)" } ?? "")" }
}

/// Changes things.
struct UseThing: DurableMutation {
    var text: String
    var ids: [TemporaryID<Int>]
    var scope: String?
    var isSetAsideToo = false

    init(_ text: String, _ ids: TemporaryID<Int>..., scope: String? = nil) {
        (self.text, self.ids, self.scope) = (text, ids, scope)
    }

    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make(change, context)
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.notes) { [text] in $0.append(text) } }
    var afterSetAside: AfterSetAside { isSetAsideToo ? .setAside : .proceed }

    /// The request.
    var change: String { "\(text) of \(ids.map(\.description).joined(separator: ", "))" }
}

/// Discards a thing that was not created yet, and itself with it.
struct DropThing: DurableMutation {
    var id: TemporaryID<Int>
    var scope: String?
    func run(_ context: MutationContext) async throws -> String {
        try await context[NotesServer.self].make("-\(id)", context)
    }
    func merging(_ earlier: any DurableMutation) -> MutationMerge {
        (earlier as? MakeThing)?.id == id ? .cancelling : .unrelated
    }
}

extension NotesProgram {
    /// A program with things.
    static func things(
        _ store: any MutationStore = InMemoryMutationStore(), _ server: NotesServer = NotesServer(),
        isOnline: Bool = true, seed: UInt64 = 1, mutations: [any DurableMutation.Type]? = nil
    ) -> NotesProgram {
        NotesProgram(
            store, server, isOnline: isOnline, seed: seed,
            mutations: mutations ?? [MakeThing.self, UseThing.self, DropThing.self, AddNote.self])
    }

    /// True if a request had a made-up identifier.
    var sentMadeUp: Bool { server.requests.contains { $0.change.contains("~") } }

    var setAsideErrors: [OutboxError?] { outbox.setAside.map { $0.error as? OutboxError } }
}

/// A world in which things are created in things, are refused, discarded, retried and used, while programs crash.
final class ThingsWorld: RandomWorld {
    private let random: SeededRandom
    private let store = InMemoryMutationStore()
    private let server = NotesServer()
    private var program: NotesProgram
    private var count = 0
    /// The identifiers of all things, with their numbers.
    private var things: [(id: TemporaryID<Int>, number: Int)] = []
    var log: [String] = []
    var problem: String?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        program = .things(store, server, seed: random.next())
    }

    func step() {
        let scope = random.pick(["a", "b", nil]) ?? nil
        count += 1
        switch random.below(14) {
        case 0..<4:
            let parent = random.once(in: 2) ? random.pick(things)?.id : nil
            let thing = MakeThing("\(count)", in: parent, scope: scope)
            note("make \(count) in \(parent?.description ?? "nothing"), scope \(scope ?? "none"): \(thing.id)")
            fail("+\(count)")
            things.append((thing.id, count))
            program.enqueue(thing)
        case 4..<9:
            guard let one = random.pick(things), let other = random.pick(things) else { return }
            var use = UseThing("use\(count)", one.id, scope: scope)
            if random.once(in: 3) { use.ids.append(other.id) }
            use.isSetAsideToo = random.once(in: 4)
            note("\(use.change), scope \(scope ?? "none")")
            fail("use\(count) of \(one.number)")
            program.enqueue(use)
        case 9:
            guard let item = random.pick(program.outbox.setAside + program.outbox.waiting) else { return }
            note("discard \(item.id)")
            _ = program.start { try await $0.discard(item.id) }
        case 10:
            guard let item = random.pick(program.outbox.setAside) else { return }
            note("retry \(item.id)")
            _ = program.start { try await $0.retry(item.id) }
        case 11:
            note("restart")
            program = .things(store, server, seed: random.next())
        case 12:
            let isOnline = random.once(in: 2)
            note(isOnline ? "online" : "offline")
            program.lab.setOnline(isOnline)
        default:
            note("wait")
            program.lab.advance(by: .seconds(8))
        }
        program.lab.settle()
    }

    private func fail(_ change: String) {
        guard random.once(in: 3), let status = random.pick([422, 503, 409]) else { return }
        note("fail \(change) with \(status)")
        server.fail(change, status: status)
    }

    func check() {
        if let request = server.requests.first(where: { $0.change.contains("~") }) {
            found("made-up identifier: \(request.change)")
        }
    }

    /// What waits, waits for something that is set aside, and all else is made.
    func finish() {
        note("the end")
        program.lab.setOnline(true)
        program.lab.advance(by: .seconds(700))
        check()
        let (waiting, aside) = (program.outbox.waiting, program.outbox.setAside)
        let held = Set(aside.compactMap { ($0.mutation as? MakeThing)?.id })
        var open = held
        for item in waiting {
            switch item.mutation {
            case let use as UseThing where !open.isDisjoint(with: use.ids): break
            case let make as MakeThing where make.parent.map(open.contains) == true: open.insert(make.id)
            default:
                let reasons = (waiting + aside).map { "\($0.id) \($0.stage): \($0.mutation.map { "\($0)" } ?? "")" }
                found("\(item.id) waits for nothing that is set aside: \(reasons)")
            }
        }
        for item in aside { _ = program.start { try await $0.discard(item.id) } }
        for _ in 0..<50 where !program.outbox.setAside.isEmpty {
            for item in program.outbox.setAside { _ = program.start { try await $0.discard(item.id) } }
        }
        check()
        if !program.outbox.isEmpty { found("left over: \(program.outbox.waiting.map(\.id))") }
    }
}
