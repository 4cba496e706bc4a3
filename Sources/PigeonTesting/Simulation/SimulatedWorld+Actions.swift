import PigeonCore

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    func observe(_ subject: Subject, _ lab: QueryLab) -> String {
        if dice.once(in: 5) { return watch(list, lab) }
        return watch(subject.definition, lab)
    }

    func watch<Value>(_ definition: QueryDefinition<Value>, _ lab: QueryLab) -> String {
        guard watches.count < 12 else { return "enough" }
        let observer = SimulatedObserver(key: definition.key)
        let handle = lab.client.observe(definition, onChange: { observer.see($0) })
        watches.append(
            Watch(
                observer: observer, handle: handle, version: { handle.snapshot.version },
                setEnabled: { handle.setEnabled($0) }))
        return "\(definition.key)"
    }

    func drop() -> String {
        guard !watches.isEmpty else { return "none" }
        let watch = watches.remove(at: dice.below(watches.count))
        seen += watch.observer.count
        return "\(watch.observer.key)"
    }

    func toggle() -> String {
        guard let watch = dice.pick(watches) else { return "none" }
        let isEnabled = dice.once(in: 2)
        watch.setEnabled(isEnabled)
        return "\(watch.observer.key) \(isEnabled)"
    }

    func fetch(_ subject: Subject, _ lab: QueryLab) -> String {
        guard waits.count < 30 else { return "enough" }
        let client = lab.client
        if dice.once(in: 4) { return overtake(subject, lab) }
        let isRefetch = dice.once(in: 3)
        let task = lab.start {
            isRefetch
                ? try await client.refetch(subject.definition) : try await client.fetch(subject.definition)
        }
        keep(task, "fetch of \(subject.key)")
        return "\(subject.key)\(isRefetch ? " anew" : "")"
    }

    /// Begins a fetch beside those that run, and cancels one of them now and then.
    func overtake(_ subject: Subject, _ lab: QueryLab) -> String {
        var begun: UInt64 = 0
        try? lab.client.beginFetch(subject.definition, .requested) { begun = $0 }
        guard dice.once(in: 4) else { return "\(subject.key) beside others" }
        let cancelled = begun - min(begun, UInt64(dice.below(3)))
        lab.client.cancelFetch(cancelled, of: subject.key)
        return "\(subject.key) beside others, without \(cancelled)"
    }

    func page(_ lab: QueryLab) -> String {
        guard waits.count < 30 else { return "enough" }
        let (client, list) = (lab.client, list)
        switch dice.below(4) {
        case 0: keep(lab.start { try await client.fetchPreviousPage(of: list) }, "previous page")
        case 1: keep(lab.start { try await client.refetch(list) }, "refresh of list")
        default: keep(lab.start { try await client.fetchNextPage(of: list) }, "next page")
        }
        return waits.last?.description ?? ""
    }

    func keep<Value>(_ task: LabTask<Value>, _ description: String) {
        waits.append(
            Wait(
                description: description, isDone: { task.result != nil }, error: { task.error },
                cancel: { task.cancel() }))
    }

    func answer(_ lab: QueryLab, fails: Bool) -> String {
        guard let open = dice.pick(server.open), let call = server.take(open.number) else { return "nobody asks" }
        if fails {
            call.continuation.resume(throwing: SimulatedError())
        } else {
            call.continuation.resume(returning: SimulatedValue(call: call.number))
        }
        return "\(call.key) call \(call.number)"
    }

    func yieldValue() -> String {
        guard let call = dice.pick(server.open), let context = call.context else { return "nobody asks" }
        context.yield(SimulatedValue(call: call.number))
        return "\(call.key) call \(call.number)"
    }

    func cancelWait() -> String {
        guard !waits.isEmpty else { return "none" }
        let index = dice.below(waits.count)
        waits[index].wasCancelled = true
        waits[index].cancel()
        return waits[index].description
    }

    func write(_ subject: Subject, _ lab: QueryLab) -> String {
        let value = SimulatedValue(call: server.stamp())
        let keeps = dice.once(in: 3)
        if !keeps { written.insert(value.call) }
        try? lab.client.set(value, for: subject.definition, during: keeps ? .keep : .fetchWins)
        return "\(subject.key) call \(value.call)\(keeps ? " kept" : "")"
    }

    func invalidate(_ subject: Subject, _ lab: QueryLab) -> String {
        let filters: [(String, KeyFilter)] = [
            ("\(subject.key)", .key(subject.key)), ("path a", .path("a")), ("path b", .path("b")),
            ("tag t", .tag("t")), ("list", .key("list")), ("all", .all), ("stale", .all.and(.stale)),
        ]
        let (name, filter) = filters[dice.below(filters.count)]
        let scope: RefetchScope = [.active, .all, .none, .inactive][dice.below(4)]
        lab.client.invalidate(filter, refetch: scope)
        return "\(name) \(scope)"
    }

    func reset(_ subject: Subject, _ lab: QueryLab) -> String {
        pendingEdits[subject.key] = nil
        if dice.once(in: 2) {
            lab.client.reset(.key(subject.key))
        } else {
            lab.client.remove(.key(subject.key))
        }
        return "\(subject.key)"
    }

    func clear(_ lab: QueryLab) -> (String, String) {
        epoch = server.beginEpoch()
        pendingEdits = [:]
        let client = lab.client
        keep(lab.start { try await client.clear() }, "clear")
        return ("clear", "epoch \(epoch)")
    }

    // MARK: Mutations

    struct Edit: Mutating {
        let number: UInt64
        let definition: QueryDefinition<SimulatedValue>
        let server: SimulatedServer
        let scope: String?
        let invalidating: Bool

        func run(_ context: MutationContext) async throws -> Int {
            try await server.ask(definition.key, isPage: false, deaf: false, context: nil).call
        }

        func optimistic(_ edits: inout OptimisticEdits) {
            let number = number
            edits.update(definition) { $0.edits.append(number) }
        }

        func invalidates(_ output: Int) -> [KeyFilter] { invalidating ? [.key(definition.key)] : [] }
    }

    func mutate(_ subject: Subject, _ lab: QueryLab) -> String {
        guard waits.count < 30 else { return "enough" }
        mutationCount += 1
        let edit = Edit(
            number: UInt64(mutationCount), definition: subject.definition, server: mutationServer,
            scope: dice.once(in: 3) ? "s" : nil, invalidating: dice.once(in: 2))
        let client = lab.client
        let layers = layerCount(subject.key, lab)
        let task = lab.start { try await client.mutate(edit) }
        keep(task, "mutation \(mutationCount)")
        if task.result == nil, layerCount(subject.key, lab) > layers {
            pendingEdits[subject.key, default: []].insert(edit.number)
            mutating[edit.number] = (subject.key, { task.result != nil })
        }
        return "\(subject.key) edit \(mutationCount)"
    }

    func layerCount(_ key: QueryKey, _ lab: QueryLab) -> Int {
        lab.client.inspect().places[key]?.entry.layers.count ?? 0
    }

    func settleMutation() -> String {
        guard let open = dice.pick(mutationServer.open), let call = mutationServer.take(open.number) else {
            return "none runs"
        }
        if dice.once(in: 3) {
            call.continuation.resume(throwing: SimulatedError())
            return "\(call.key) fails"
        }
        call.continuation.resume(returning: SimulatedValue(call: call.number))
        return "\(call.key)"
    }
}
