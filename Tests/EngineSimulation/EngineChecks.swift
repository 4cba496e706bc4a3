import PigeonCore
package import PigeonTesting

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Simulation {
    /// Returns the simulation with the rules of the engine, which look into the client after each operation.
    package func checkingEngine() -> Simulation { checked { EngineChecks($0) } }
}

/// Compares the inner state of a client, and the fetches that it begins, with what the rules of the engine say.
///
/// It repeats decisions of the engine in terms of a definition's options: for example, that a new observer fetches a
/// stale value. If a rule of the engine changes, it changes here too.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class EngineChecks {
    unowned let world: SimulatedWorld
    /// Times at which calls may be retried for which the server asked to wait.
    var busyUntil: [String: MonotonicInstant] = [:]
    /// Time at which the program last left the foreground.
    var leftAt = MonotonicInstant(nanoseconds: 0)
    private var models: [String: EngineModel] = [:]
    /// Number of the process to which the models belong.
    private var life = 1

    init(_ world: SimulatedWorld) { self.world = world }

    /// The model of a key, by its text.
    subscript(_ name: String) -> EngineModel {
        get { models[name] ?? EngineModel() }
        set { models[name] = newValue }
    }

    /// Returns what the client has of a key. `nil` if the key is not in memory.
    func place(of subject: SimulatedSubject) -> ClientInspection.EntryInspection? {
        world.process?.client.inspect().entries[subject.key]
    }

    func found(_ rule: SimulationRule, _ text: @autoclosure () -> String) { world.found(rule, text()) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks: SimulationChecks {
    func check() {
        guard let process = world.process else { return }
        if life != world.lives {
            life = world.lives
            for subject in world.subjects { self[subject.name].forgetValue() }
        }
        let inspection = process.client.inspect()
        for subject in world.subjects {
            self[subject.name].endHolding(at: world.server.stamp())
            let place = inspection.entries[subject.key]
            if let place { checkStructure(of: subject, place) }
            guard let entry = place?.entry, let base = entry.base else {
                self[subject.name].forgetValue()
                continue
            }
            checkAge(subject, entry)
            checkPages(subject, base)
        }
        checkWaiters(inspection)
    }

    func checkEnd() {
        guard let inspection = world.process?.client.inspect() else { return }
        let left = inspection.entries.keys.filter { world.subject(of: $0)?.options.keepFor != .forever }
        if !left.isEmpty { found(.structure, "left over: \(left.map(\.queryKeyValue).sorted())") }
        if inspection.liveAlarms > 0 { found(.structure, "\(inspection.liveAlarms) alarms are left") }
        if inspection.pendingSaves > 0 { found(.records, "\(inspection.pendingSaves) values were not written") }
        if inspection.mutationScopes + inspection.pausedMutations > 0 { found(.structure, "mutations are left") }
    }

    func note(_ event: SimulatedEvent) {
        switch event {
        case .fetcherCalled(let request): noteRefresh(request)
        case .requestSent(let request): check(request)
        case .written(let subject):
            self[subject.name].heldBefore = world.server.stamp()
            if world.depth > 0 { self[subject.name].isHeldWithin = true }
        // A mutation may cause a refetch of its key, even if it does not invalidate it.
        case .mutationEnded(let subject): self[subject.name].invalidatedBefore = world.server.stamp()
        case .batch(let changes): noteRedundancy(in: changes)
        case .emitted(let event): hear(event)
        }
    }

    /// Records a redundant mark: one that follows an equal mark, with no change in between that could have undone it.
    private func noteRedundancy(in changes: [QueryRecordChange]) {
        var marks: Set<QueryRecordScope> = []
        for change in changes {
            guard case .markStale(let scope) = change else {
                if case .save = change { marks = [] }
                continue
            }
            if !marks.insert(scope).inserted { found(.records, "one batch marks \(scope) twice") }
        }
    }

    private func hear(_ event: QueryEvent) {
        let subject = event.key.flatMap { world.subject(of: $0) }
        switch event.kind {
        case .removed, .cleared:
            guard let subject else { return }
            self[subject.name].forgetAge()
            self[subject.name].firstCall = world.server.nextNumber
        default: break
        }
    }
}
