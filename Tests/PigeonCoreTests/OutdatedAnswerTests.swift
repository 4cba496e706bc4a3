import PigeonCore
import PigeonTesting
import Testing

@Suite("Invalidating while an answer is on the way")
struct OutdatedAnswerTests {
    let lab = QueryLab()

    private func observe(_ fetcher: ScriptedFetcher<String>) -> QueryObserver<String> {
        lab.client.observe(QueryDefinition("users", fetch: fetcher.fetch).staleAfter(.never))
    }

    @Test("an answer that was asked for before does not make the entry fresh, if nothing is asked anew")
    func value() {
        let fetcher = lab.fetcher(returning: String.self)
        let observer = observe(fetcher)
        lab.client.invalidate(.key("users"), refetch: .none)
        fetcher.succeed(with: "Ann")
        #expect(observer.snapshot.value == "Ann")
        #expect(observer.snapshot.isStale)
        lab.client.refetchNow("users")
        fetcher.succeed(with: "Bob")
        #expect(!observer.snapshot.isStale, "one that was asked for after does")
    }

    @Test("nor does one that says that nothing has changed, or that fails")
    func others() {
        var machine = Machine { $0.staleAfter = .never }
        machine.receive(.write("Ann"))
        for answer in [Answer.notModified(freshFor: nil), .finished] {
            machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
            machine.receive(.invalidate(.requested, refetch: .none))
            machine.receive(.answer(generation: machine.entry.generation, answer))
            #expect(machine.state == "Ann, idle, invalidated")
            #expect(machine.entry.wasInvalidatedByName)
            machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
            machine.receive(.answer(generation: machine.entry.generation, answer))
            #expect(machine.state == "Ann, idle")
            #expect(!machine.entry.wasInvalidatedByName)
        }
    }

    @Test("an invalidation by name is told apart from a failure, and ends with a success, a write or a reset")
    func byName() {
        var machine = Machine { $0.staleAfter = .never }
        machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
        machine.receive(.answer(generation: 1, .failure(Failure(CancellationError()), retryIn: nil)))
        #expect(machine.entry.isInvalidated)
        #expect(!machine.entry.wasInvalidatedByName)
        for end in [
            EntryInput.write("Ann"), .reset(initial: nil, .requested),
        ] {
            machine.receive(.invalidate(.requested, refetch: .none))
            #expect(machine.entry.wasInvalidatedByName)
            machine.receive(end)
            #expect(!machine.entry.wasInvalidatedByName)
        }
    }

    @Test("a fetch that takes the place of an outdated one is not outdated")
    func replaced() {
        var machine = Machine { $0.staleAfter = .never }
        machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
        machine.receive(.invalidate(.requested, refetch: .none))
        machine.receive(.fetch(.requested, mode: .replace, fromStart: false))
        machine.receive(.answer(generation: 2, .value(CommitCandidate.of("Ann"))))
        #expect(machine.state == "Ann, idle")
    }

    @Test("an invalidation that asks anew is answered by that")
    func refetched() {
        var machine = Machine { $0.staleAfter = .never }
        machine.receive(.attach(AttachedObserver(id: 1, options: .with { $0.staleAfter = .never })))
        machine.receive(.answer(generation: 1, .value(CommitCandidate.of("Ann"))))
        machine.receive(.invalidate(.requested, refetch: .active))
        machine.receive(.answer(generation: 2, .value(CommitCandidate.of("Bob"))))
        #expect(machine.state == "Bob, idle")
    }

    @Test("a write can be older than now")
    func age() {
        var machine = Machine { $0.staleAfter = .after(.seconds(10)) }
        machine.seconds = 100
        var candidate = CommitCandidate.of("Ann")
        candidate.age = 7_000_000_000
        machine.receive(.write(candidate, .value, keepsOverFetch: false, .written))
        #expect(machine.entry.writtenAt == MonotonicInstant(nanoseconds: 93_000_000_000))
        #expect(!machine.entry.isStale(for: .after(.seconds(10)), at: MonotonicInstant(nanoseconds: 102_000_000_000)))
        #expect(machine.entry.isStale(for: .after(.seconds(10)), at: MonotonicInstant(nanoseconds: 104_000_000_000)))
    }
}

extension QueryClient {
    fileprivate func refetchNow(_ key: QueryKey) {
        invalidate(.key(key), refetch: .active)
    }
}
