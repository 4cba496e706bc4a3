import PigeonCore

/// The effects of a mutation besides the change on the server.
package struct SimulatedEditStyle: Codable, Hashable, Sendable, CustomStringConvertible {
    package enum Change: String, Codable, Sendable {
        case nothing, update, set
    }

    package var shows = Change.update
    package var writes = Change.nothing
    package var invalidates = false
    package var isScoped = false
    package var isIdempotent = false

    package init(
        shows: Change = .update, writes: Change = .nothing, invalidates: Bool = false, isScoped: Bool = false,
        isIdempotent: Bool = false
    ) {
        self.shows = shows
        self.writes = writes
        self.invalidates = invalidates
        self.isScoped = isScoped
        self.isIdempotent = isIdempotent
    }

    package var description: String {
        var text = ""
        if shows != .update { text += ", optimistic: .\(shows)" }
        if writes != .nothing { text += ", succeeded: .\(writes)" }
        if invalidates { text += ", invalidates" }
        if isScoped { text += ", scoped" }
        if isIdempotent { text += ", idempotent" }
        return text
    }
}

/// A mutation that adds its number to a value's edits.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct SimulatedEdit {
    let number: Int
    let style: SimulatedEditStyle
    let subject: SimulatedSubject
    let definition: @Sendable () -> QueryDefinition<SimulatedValue>
    let server: SimulatedServer
    let hooks: SimulatedHooks
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedEdit: Mutating {
    var scope: String? { style.isScoped ? "scope" : nil }
    var isIdempotent: Bool { style.isIdempotent }
    var retry: RetryPolicy { style.isIdempotent ? RetryPolicy(limit: 2) : .never }

    func run(_ context: MutationContext) async throws -> Int {
        hooks.reach(.fetcher)
        let (call, answer) = try await server.ask(
            subject.name,
            .edit(number, idempotencyKey: context.idempotencyKey, isIdempotent: isIdempotent), deaf: false)
        guard case .value(let version, let edits) = answer else { return 0 }
        subject.model.succeededAt[number] = server.stamp()
        subject.answers[number] = SimulatedValue(call: call, version: version, edits: edits)
        return number
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        let (number, hooks, server) = (number, hooks, server)
        switch style.shows {
        case .nothing: break
        case .update:
            edits.update(definition()) {
                hooks.reach(.edit)
                $0.edits.append(number)
            }
        case .set:
            let value = SimulatedValue(call: server.stamp(), version: -1, edits: [number])
            subject.model.mutated.insert(value.call)
            hooks.reach(.edit)
            edits.set(value, for: definition())
        }
    }

    func succeeded(_ output: Int, _ writes: CacheWrites) {
        let (number, hooks) = (number, hooks)
        // Recorded after the write, because a fetch that starts within the write counts as requested before it.
        defer { hooks.note(.written(subject)) }
        switch style.writes {
        case .nothing: break
        case .update:
            subject.model.needed = nil
            writes.update(definition()) {
                hooks.reach(.edit)
                if !$0.edits.contains(number) { $0.edits.append(number) }
            }
        case .set:
            guard let answer = subject.answers[number] else { return }
            subject.model.noteWritten(answer: answer)
            writes.set(answer, for: definition())
        }
    }

    func invalidates(_ output: Int) -> [KeyFilter] { style.invalidates ? [.key(subject.key)] : [] }
}
