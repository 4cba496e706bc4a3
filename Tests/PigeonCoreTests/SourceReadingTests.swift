import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Reading a source of truth")
struct SourceReadingTests {
    private let desk = SourceDesk("Ann")

    @Test("Fresh content is shown, and nothing is fetched")
    func freshContent() {
        let observer = desk.observe()
        #expect(observer.snapshot.brief == "Ann")
        #expect(desk.source.calls == ["read"])
        #expect(desk.server.calls.isEmpty)
    }

    @Test("Stale content is shown while it is fetched")
    func staleContent() {
        desk.source.markStaleNow()
        let observer = desk.observe()
        #expect(observer.snapshot.brief == "Ann…")
        desk.server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
        #expect(desk.source.content == "Bea")
    }

    @Test("A source that holds nothing is fetched for")
    func nothing() {
        desk.source.put(nil)
        let observer = desk.observe()
        #expect(observer.snapshot.brief == "pending…")
        desk.server.succeed(with: "Ann")
        #expect(observer.snapshot.brief == "Ann")
    }

    @Test("What is cached is not fetched before it was read")
    func readsFirst() {
        desk.source.hold("read")
        let task = desk.consult(.always(.requested))
        #expect(desk.server.calls.isEmpty)
        #expect(desk.entry?.activity == .idle)
        desk.source.release()
        #expect(desk.shown == "Ann")
        #expect(desk.server.pendingCount == 1)
        #expect(task.result == nil)
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
    }

    @Test("One reading at a time; those who ask while one runs share the one after it")
    func oneAtATime() {
        desk.source.hold("read")
        let first = desk.consult(.ifStale(.requested))
        let others = [desk.consult(.nothing), desk.consult(.ifStale(.requested)), desk.consult(.nothing)]
        #expect(desk.source.calls == ["read"])
        desk.source.release()
        #expect(desk.source.calls == ["read", "read"])
        #expect(desk.source.mostAtOnce == 1)
        #expect(first.value == "Ann")
        #expect(others.map(\.value) == ["Ann", "Ann", "Ann"])
    }

    @Test("Who asks while a reading runs sees what came into the source since it began")
    func newerReading() {
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let late = desk.consult(.nothing)
        desk.source.put("Bea")
        desk.source.release()
        #expect(late.value == "Bea")
    }

    @Test("A fetch under way is joined, and its answer is everybody's")
    func joins() {
        desk.source.put(nil)
        let tasks = [Demand.ifStale(.requested), .always(.requested), .nothing].map { desk.consult($0) }
        #expect(desk.server.calls.count == 1)
        desk.server.succeed(with: "Ann")
        #expect(tasks.map(\.value) == ["Ann", "Ann", "Ann"])
        #expect(desk.server.calls.count == 1)
    }

    @Test("Of several demands the strongest decides")
    func strongestDemand() {
        desk.source.hold("read")
        let tasks = [Demand.nothing, .nothing, .always(.requested)].map { desk.consult($0) }
        desk.source.release()
        #expect(desk.server.pendingCount == 1)
        desk.server.succeed(with: "Bea")
        #expect(tasks.map(\.value) == ["Bea", "Bea", "Bea"])
    }

    @Test("A consultation of a source that holds nothing, and is not to be fetched, ends with a cancellation")
    func nothingToShow() {
        desk.source.put(nil)
        #expect(desk.consult(.nothing).error is CancellationError)
        #expect(desk.server.calls.isEmpty)
    }

    @Test("An error state is fetched again, whatever is cached")
    func errorState() {
        desk.source.put(nil)
        let first = desk.consult(.ifStale(.requested))
        desk.server.fail(with: Trouble.first)
        #expect(first.error as? Trouble == .first)
        desk.source.put("Ann")
        let second = desk.consult(.ifStale(.requested))
        #expect(desk.shown == "Ann")
        #expect(desk.server.pendingCount == 1)
        desk.server.succeed(with: "Bea")
        #expect(second.value == "Bea")
    }

    @Test("A source that cannot be read leaves what was shown, is reported, and is fetched for")
    func unreadable() {
        let observer = desk.observe()
        desk.source.fail("read", with: Trouble.second)
        desk.lab.clearLog()
        let task = desk.consult(.ifStale(.requested))
        #expect(observer.snapshot.brief == "Ann…")
        #expect(desk.lab.log.contains { $0.contains("the source could not be read: Trouble") })
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A source that cannot say whether it is stale is fetched for")
    func unknownStaleness() {
        desk.source.fail("isStale")
        let task = desk.consult(.ifStale(.requested))
        #expect(desk.server.pendingCount == 1)
        desk.server.succeed(with: "Bea")
        #expect(task.value == "Bea")
    }

    @Test("A cancelled waiter leaves, and harms nobody")
    func cancelledWaiter() {
        desk.source.hold("read")
        let (leaving, staying) = (desk.consult(.ifStale(.requested)), desk.consult(.ifStale(.requested)))
        leaving.cancel()
        #expect(leaving.error is CancellationError)
        desk.source.release()
        #expect(staying.value == "Ann")
    }

    @Test("A waiter that is cancelled during the fetch leaves, and harms nobody")
    func cancelledDuringFetch() {
        desk.source.put(nil)
        let (leaving, staying) = (desk.consult(.ifStale(.requested)), desk.consult(.ifStale(.requested)))
        leaving.cancel()
        #expect(leaving.error is CancellationError)
        desk.server.succeed(with: "Ann")
        #expect(staying.value == "Ann")
    }

    @Test("A source that hangs holds up its own entry only")
    func hanging() {
        desk.source.hold("read")
        let stuck = desk.consult(.ifStale(.requested))
        let other = ScriptedSource("Bea")
        let definition = SourceDesk.definition("other", other, desk.server, desk.pages)
        let task = desk.lab.start { [client = desk.client] in try await client.consult(definition, .nothing) }
        #expect(task.value == "Bea")
        #expect(stuck.result == nil)
        desk.source.release()
        #expect(stuck.value == "Ann")
    }

    @Test("What a source holds again and again is told once")
    func equalContent() {
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user) { seen.append($0.brief) }
        seen.clear()
        for _ in 0..<3 { _ = desk.consult(.nothing) }
        #expect(seen.all == [])
        desk.source.put("Bea")
        _ = desk.consult(.nothing)
        #expect(seen.all == ["Bea"])
        withExtendedLifetime(observer) {}
    }

    @Test("A source that is found empty empties its entry")
    func emptied() {
        let observer = desk.observe()
        desk.source.put(nil)
        _ = desk.consult(.nothing)
        #expect(observer.snapshot.brief == "pending")
    }

    // MARK: Waiting for a fetch

    @Test("A look waits for a fetch under way, and tells what that left, also when it failed")
    func looksAfterFetch() {
        desk.source.markStaleNow()
        _ = desk.consult(.ifStale(.requested))
        let looks = [desk.look(), desk.look()]
        #expect(looks.map(\.value) == [nil, nil])
        desk.server.succeed(with: "Bea")
        #expect(looks.map(\.value) == ["Bea", "Bea"])
        _ = desk.consult(.always(.requested))
        let third = desk.look()
        desk.server.fail(with: Trouble.first)
        #expect(third.value == "Bea")
    }

    @Test("A look that is cancelled ends so, and the fetch goes on")
    func cancelledLook() {
        desk.source.put(nil)
        let fetch = desk.consult(.ifStale(.requested))
        let look = desk.look()
        look.cancel()
        #expect(look.error is CancellationError)
        desk.server.succeed(with: "Ann")
        #expect(fetch.value == "Ann")
    }

    @Test("Where nothing is fetched, nothing is waited for, and nothing is fetched")
    func looksAtOnce() {
        desk.source.markStaleNow()
        #expect(desk.look().value == "Ann")
        desk.source.put(nil)
        #expect(desk.look().value == "nothing")
        #expect(desk.server.calls.isEmpty)
        let task = desk.lab.start { [client = desk.client] in
            try await client.look(at: QueryDefinition<String>.value("plain")) == nil
        }
        #expect(task.value == true)
    }

    // MARK: The first state

    /// Observes the query from its first state on, and records the values.
    private func follow(_ values: Recorder<String?>) -> ObserverCore {
        desk.client.attach(desk.user, deliversFirst: true) { entryState, _ in
            values.append((entryState.payload as? PayloadOf<String>)?.value)
        }
    }

    @Test("Whoever wants the first state has it at once when nothing is read")
    func firstState() {
        _ = desk.consult(.always(.requested))
        let values = Recorder<String?>()
        let core = follow(values)
        #expect(values.all == ["Ann"])
        desk.server.succeed(with: "Bea")
        #expect(values.all.last == "Bea")
        desk.client.detach(core)
    }

    @Test("Whoever wants the first state has it once the source is read, though another reading follows")
    func firstStateLater() {
        desk.source.hold("read")
        let values = Recorder<String?>()
        let core = follow(values)
        _ = desk.consult(.nothing)
        #expect(values.all == [])
        desk.source.release()
        #expect(values.all == ["Ann"])
        desk.client.detach(core)
    }

    @Test("Whoever wants the first state has an error if the key holds another type")
    func firstStateOfOtherType() throws {
        try desk.client.set(1, for: desk.user.key)
        let errors = Recorder<String>()
        let core = desk.client.attach(desk.user, deliversFirst: true) { entryState, _ in
            errors.append(entryState.failure.map { "\(type(of: $0.error))" } ?? "none")
        }
        #expect(errors.all == ["QueryError"])
        desk.client.detach(core)
    }

    @Test("Who begins to observe before a reading ends is told when it does, though nothing has changed", .rule("F12"))
    func observedMeanwhile() {
        let earlier = desk.observe()
        desk.source.hold("read")
        _ = desk.consult(.nothing)
        let seen = Recorder<String>()
        let observer = desk.client.observe(desk.user) { seen.append($0.brief) }
        #expect(seen.all == [])
        desk.source.release()
        #expect(seen.all == ["Ann"])
        withExtendedLifetime((earlier, observer)) {}
    }

    @Test("Emptying ends the wait for the first state")
    func firstStateEmptied() {
        desk.source.hold("read")
        let values = Recorder<String?>()
        let core = follow(values)
        desk.client.remove(.key("users"))
        desk.lab.settle()
        #expect(values.all == [nil])
        desk.source.release()
        desk.client.detach(core)
    }

    @Test("An observer that has left has no first state")
    func firstStateLeft() {
        desk.source.hold("read")
        let values = Recorder<String?>()
        desk.client.detach(follow(values))
        desk.source.release()
        #expect(values.all == [])
    }

    @Test("Whoever is cancelled during a reading has what it brings shown, and nothing fetched")
    func cancelledWhileReading() {
        desk.source.markStaleNow()
        desk.source.hold("read")
        let task = desk.consult(.ifStale(.requested))
        desk.client.cancel(.key("users"))
        desk.source.release()
        #expect(task.value == "Ann")
        #expect(desk.server.calls.isEmpty)
    }
}
