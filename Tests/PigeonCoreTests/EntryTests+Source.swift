import PigeonCore
import TestSupport
import Testing

@Suite("The entry: a source of truth")
struct EntrySource {
    private static func check(_ row: SourceRow) { row.check(row.situation.machine()) }

    // MARK: Requesting a reading

    static let asking: [SourceRow] = [
        SourceRow(
            .unread, "an observer", .observe(), "nothing, idle, to be read for what is stale", "watch source",
            "read source"),
        SourceRow(.unread, "a disabled observer", .observeDisabled(), "nothing, idle", "watch source"),
        SourceRow(
            .unread, "an observer that does not fetch", .observe { $0.fetchesOnAttach = false },
            "nothing, idle, to be read for nothing", "watch source", "read source"),
        SourceRow(
            .unread, "an observer that fetches always", .observe { $0.refetchOnAttach = .always },
            "nothing, idle, to be read for anything", "watch source", "read source"),
        SourceRow(
            .unread, "a look", .consult(.nothing), "nothing, idle, to be read for nothing", "read source"),
        SourceRow(
            .content, "a consultation", .consult(.ifStale(.requested)), "Ann, idle, to be read for what is stale",
            "read source"),
        SourceRow(
            .failed, "a consultation", .consult(.ifStale(.requested)),
            "nothing, idle, invalidated, failed first, to be read for what is stale", "read source"),
        SourceRow(
            .asked, "a weaker demand", .consult(.nothing), "nothing, idle, to be read for what is stale",
            "joined (cached)"),
        SourceRow(
            .asked, "a stronger demand", .consult(.always(.requested)), "nothing, idle, to be read for anything",
            "joined (requested)"),
        SourceRow(
            .reading, "a consultation", .consult(.nothing),
            "nothing, idle, reading for what is stale, to be read for nothing", "read source"),
        SourceRow(
            .readingTwice, "one more", .consult(.ifStale(.requested)),
            "nothing, idle, reading for what is stale, to be read for anything", "joined (requested)"),
        SourceRow(
            .loading, "a consultation", .consult(.always(.requested)), "nothing, fetching 1", "joined (requested)"),
        SourceRow(
            .loadingOffline, "a consultation", .consult(.ifStale(.requested)), "nothing, paused 1",
            "joined (requested)"),
        SourceRow(
            .loading, "a look", .consult(.nothing), "nothing, fetching 1, to be read for nothing", "read source"),
        SourceRow(
            .refetching, "a second observer", .observe(2), "Ann, fetching 1", "watch source", "joined (observed)"),
    ]

    @Test("Whoever needs the data has the source read; one reading waits, for all who ask", arguments: asking)
    func asksAsTabled(_ row: SourceRow) { Self.check(row) }

    // MARK: Beginning

    static let beginning: [SourceRow] = [
        SourceRow(.asked, "its turn", .readingBegan, "nothing, idle, reading for what is stale"),
        SourceRow(.unread, "a turn that nobody asked for", .readingBegan, "nothing, idle"),
        SourceRow(.content, "a turn that nobody asked for", .readingBegan, "Ann, idle"),
        SourceRow(.loading, "a turn that nobody asked for", .readingBegan, "nothing, fetching 1"),
    ]

    @Test("A reading begins with all that was demanded until then", arguments: beginning)
    func beginsAsTabled(_ row: SourceRow) { Self.check(row) }

    // MARK: Results of readings

    static let content: [SourceRow] = [
        SourceRow(.reading, "fresh content", .read("Ann"), "Ann, idle", "hydrated (cached)", "source read", "notify"),
        SourceRow(
            .reading, "stale content", .read("Ann", isStale: true), "Ann, fetching 1", "hydrated (cached)",
            "fetching (observed)", "start 1 (observed)", "source read", "notify"),
        SourceRow(
            .rereading, "the same", .read("Ann", isSame: true), "Ann, idle", "source read"),
        SourceRow(
            .rereading, "other content", .read("Bea"), "Bea, idle", "written (source changed)", "source read",
            "notify"),
        SourceRow(
            .rereading, "stale content, which nobody wants fetched", .read("Bea", isStale: true), "Bea, idle",
            "written (source changed)", "source read", "notify"),
        SourceRow(
            .readingTwice, "fresh content", .read("Ann"), "Ann, idle, to be read for anything",
            "hydrated (cached)", "notify"),
        SourceRow(
            .readingForWaiter, "fresh content", .read("Ann"), "Ann, idle", "hydrated (cached)", "source read",
            "settle value", "notify"),
        SourceRow(
            .readingForWaiter, "stale content", .read("Ann", isStale: true), "Ann, fetching 1, 1 waiting",
            "hydrated (cached)", "fetching (requested)", "start 1 (requested)", "source read", "notify"),
        SourceRow(.content, "content that nobody reads", .read("Bea"), "Ann, idle"),
        SourceRow(.unread, "content that nobody reads", .read("Bea"), "nothing, idle"),
    ]

    @Test("What is read is shown, and it alone decides about a fetch", arguments: content)
    func readsAsTabled(_ row: SourceRow) { Self.check(row) }

    static let nothing: [SourceRow] = [
        SourceRow(
            .reading, "nothing", .reading(.nothing), "nothing, fetching 1", "fetching (observed)",
            "start 1 (observed)", "source read", "notify"),
        SourceRow(
            .rereading, "nothing", .reading(.nothing), "nothing, idle", "written (source changed)", "source read",
            "notify"),
        SourceRow(
            .readingForWaiter, "nothing", .reading(.nothing), "nothing, fetching 1, 1 waiting",
            "fetching (requested)", "start 1 (requested)", "source read", "notify"),
        SourceRow(.content, "nothing that nobody reads", .reading(.nothing), "Ann, idle"),
        SourceRow(
            .reading, "a failure", .readingFailed, "nothing, fetching 1",
            "cache problem: the source could not be read: Trouble (cached)", "fetching (observed)",
            "start 1 (observed)", "source read", "notify"),
        SourceRow(
            .rereading, "a failure", .readingFailed, "Ann, idle",
            "cache problem: the source could not be read: Trouble (cached)", "source read"),
        SourceRow(.content, "a failure that nobody reads", .readingFailed, "Ann, idle"),
    ]

    @Test("A source that holds nothing, or cannot be read, leads to a fetch", arguments: nothing)
    func missesAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("A failure to read leaves what is shown, and is fetched again")
    func failureKeeps() {
        var machine = SourceSituation.content.machine()
        machine.receive(.consult(.ifStale(.requested)))
        machine.receive(.readingBegan)
        machine.receive(.readingFailed)
        #expect(machine.state == "Ann, fetching 2")
    }

    @Test("An error state, and what was invalidated, are fetched whatever the source says")
    func errorsAreFetched() {
        for situation in [SourceSituation.failed, .refetchFailed, .invalidated] {
            var machine = situation.machine()
            machine.receive(.consult(.ifStale(.requested)))
            machine.receive(.readingBegan)
            let effects = machine.receive(.read("Ann"))
            #expect(effects.contains { $0.hasPrefix("start ") }, "\(situation)")
        }
    }

    @Test("A look at an error state fetches nothing")
    func looksFetchNothing() {
        for situation in [SourceSituation.failed, .refetchFailed, .invalidated] {
            var machine = situation.machine()
            let before = machine.entry.failure != nil
            machine.receive(.consult(.nothing))
            machine.receive(.readingBegan)
            #expect(!machine.receive(.read("Bea", isStale: true)).contains { $0.hasPrefix("start ") })
            #expect(machine.value == "Bea")
            #expect((machine.entry.failure != nil) == before)
        }
    }

    @Test("A reading that a fetch overtakes shows what it found, and joins the fetch")
    func joinsFetch() {
        var machine = SourceSituation.reading.machine()
        machine.receive(.fetchNow)
        #expect(
            machine.receive(.read("Ann", isStale: true)) == [
                "hydrated (cached)", "joined (observed)", "source read", "notify",
            ])
        #expect(machine.state == "Ann, fetching 2")
    }

    @Test("Who waits is answered once nothing is read any more, and no fetch runs")
    func settlesAtTheEnd() {
        var machine = SourceSituation.readingForWaiter.machine()
        machine.receive(.consult(.nothing))
        #expect(!machine.receive(.read("Ann")).contains("settle value"))
        machine.receive(.readingBegan)
        #expect(machine.receive(.read("Bea")).contains("settle value"))
        #expect(machine.state == "Bea, idle")
    }

    @Test("Who waits for a reading may leave, and the reading goes on")
    func waiterLeaves() {
        var machine = SourceSituation.readingForWaiter.machine()
        #expect(machine.receive(.leave()) == [])
        #expect(machine.receive(.read("Ann")) == ["hydrated (cached)", "source read", "notify"])
    }

    @Test("An entry that is read is not collected; it is once that ends")
    func collection() {
        var machine = SourceSituation.unread.machine { $0.keepFor = .seconds(60) }
        machine.receive(.consult(.nothing))
        #expect(machine.due == nil)
        machine.receive(.readingBegan)
        #expect(machine.due == nil)
        machine.receive(.read("Ann"))
        #expect(machine.due == 60)
    }

    // MARK: Emptying

    static let emptying: [SourceRow] = [
        SourceRow(
            .content, "a source that is empty", .sourceEmptied, "nothing, idle", "written (source changed)", "notify"),
        SourceRow(.unread, "a source that is empty", .sourceEmptied, "nothing, idle"),
        SourceRow(.loading, "a source that is empty", .sourceEmptied, "nothing, fetching 1"),
        SourceRow(.reading, "a reset", .reset(initial: nil, .requested), "nothing, idle", "source read", "notify"),
        SourceRow(.asked, "a reset", .reset(initial: nil, .requested), "nothing, idle", "source read", "notify"),
        SourceRow(
            .readingTwice, "a reset", .reset(initial: nil, .requested), "nothing, idle", "source read", "notify"),
        SourceRow(
            .readingForWaiter, "a reset", .reset(initial: nil, .requested), "nothing, idle", "source read",
            "settle cancelled", "notify"),
        SourceRow(.content, "a reset", .reset(initial: nil, .requested), "nothing, idle", "notify"),
        SourceRow(
            .refetching, "a reset", .reset(initial: nil, .requested), "nothing, idle", "stop 1",
            "cancelled (requested)", "settle cancelled", "notify"),
        SourceRow(
            .loadingPage, "a reset", .reset(initial: nil, .requested), "nothing, idle", "stop 2",
            "cancelled (requested)",
            "settle next page cancelled", "notify"),
    ]

    @Test("Emptying drops what was asked before: readings, fetches and pages", arguments: emptying)
    func emptiesAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("What was being read when the entry was emptied goes nowhere")
    func lateReading() {
        for answer in [EntryInput.read("Ann"), .reading(.nothing), .readingFailed] {
            var machine = SourceSituation.reading.machine()
            machine.receive(.reset(initial: nil, .requested))
            #expect(machine.receive(answer) == [])
            #expect(machine.state == "nothing, idle")
        }
    }

    // MARK: Changes by the program

    static let changes: [SourceRow] = [
        SourceRow(.content, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
        SourceRow(.unread, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
        SourceRow(.failed, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
        SourceRow(.refetchFailed, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
        SourceRow(.invalidated, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
        SourceRow(
            .refetching, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "stop 1",
            "cancelled (written)", "settle cancelled", "notify"),
        SourceRow(
            .loadingOffline, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)",
            "cancelled (written)", "settle cancelled", "notify"),
        SourceRow(
            .reading, "a change", .sourceChanged(.of("Bea")), "Bea, idle, reading for what is stale",
            "written (written)", "notify"),
        SourceRow(
            .asked, "a change", .sourceChanged(.of("Bea")), "Bea, idle, to be read for what is stale",
            "written (written)", "notify"),
        SourceRow(.loadingPage, "a change", .sourceChanged(.of("Bea")), "Bea, idle", "written (written)", "notify"),
    ]

    @Test("A change by the program takes the place of a fetch asked before, and ends an error", arguments: changes)
    func changesAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("A page load goes on while the program changes the list")
    func changeKeepsPages() {
        var machine = SourceSituation.loadingPage.machine()
        machine.receive(.sourceChanged(.of("Bea")))
        #expect(machine.entry.side?.next.flight?.phase == .running)
        #expect(machine.receive(.page("Bea, Cid", of: 2)).contains("settle next page value"))
    }

    @Test("A page that waits for the fetch which a change cancels is loaded then")
    func changeStartsPages() {
        var machine = SourceSituation.refetching.machine()
        machine.receive(.loadPage(.next))
        #expect(machine.receive(.sourceChanged(.of("Bea"))).contains("start next page 2"))
    }

    @Test("A page load that failed may be asked again after a change")
    func changeForgetsPageErrors() {
        var machine = SourceSituation.loadingPage.machine()
        machine.receive(.answer(generation: 2, .failure(Failure(Trouble.first), retryIn: nil)))
        #expect(machine.entry.side?.next.error != nil)
        machine.receive(.sourceChanged(.of("Bea")))
        #expect(machine.entry.side?.next.error == nil)
    }

    // MARK: Fetches

    @Test("A failure, a cancellation and a late answer take nothing away")
    func nothingIsTakenAway() {
        for input in [EntryInput.failure(of: 1), .cancel(.requested), .value("Old", of: 0)] {
            var machine = SourceSituation.refetching.machine()
            machine.receive(input)
            #expect(machine.value == "Ann")
        }
    }

    // MARK: Surroundings

    static let surroundings: [SourceRow] = [
        SourceRow(
            .content, "a return", .surroundings(.returned), "Ann, idle, to be read for what is stale", "read source"),
        SourceRow(
            .content, "the network", .surroundings(.reconnected), "Ann, idle, to be read for what is stale",
            "read source"),
        SourceRow(.content, "other conditions", .surroundings(.conditions), "Ann, idle"),
        SourceRow(.unused, "a return", .surroundings(.returned), "Ann, idle"),
        SourceRow(.refetching, "a return", .surroundings(.returned), "Ann, fetching 1"),
    ]

    @Test("Foreground and network consult the source instead of fetching", arguments: surroundings)
    func surroundingsAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("Those who do not want it are not consulted for; who wants it always is fetched for")
    func triggers() {
        var machine = SourceSituation.content.machine {
            $0.refetchOnForeground = .never
            $0.refetchOnReconnect = .always
        }
        #expect(machine.receive(.surroundings(.returned)) == [])
        machine.receive(.surroundings(.reconnected))
        #expect(machine.state == "Ann, idle, to be read for anything")
    }

    // MARK: Invalidation

    static let invalidation: [SourceRow] = [
        SourceRow(
            .content, "an invalidation", .invalidate(), "Ann, fetching 2, invalidated", "persist stale",
            "invalidated (requested)", "fetching (invalidated by requested)", "start 2 (invalidated by requested)",
            "notify"),
        SourceRow(
            .content, "an invalidation without a fetch", .invalidate(.none), "Ann, idle, invalidated", "persist stale",
            "invalidated (requested)", "notify"),
        SourceRow(
            .unused, "an invalidation", .invalidate(), "Ann, idle, invalidated", "persist stale",
            "invalidated (requested)", "notify"),
    ]

    @Test("An invalidation is noted in the source, and what is observed is fetched again", arguments: invalidation)
    func invalidatesAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("An observer that is enabled later has the source read")
    func enabledLater() {
        var machine = SourceSituation.unread.machine()
        machine.receive(.observeDisabled())
        #expect(machine.receive(.renew(.observer(1))).contains("read source"))
        #expect(machine.state == "nothing, idle, to be read for what is stale")
    }

    @Test("A turn that was asked for before an emptying reads nothing; what is asked for after waits for its own")
    func turnsBeforeEmptying() {
        var machine = SourceSituation.asked.machine()
        machine.receive(.reset(initial: nil, .requested))
        machine.receive(.consult(.ifStale(.requested)))
        machine.receive(.readingBegan)
        #expect(machine.state == "nothing, idle, to be read for what is stale")
        machine.receive(.sourceEmptied)
        machine.receive(.readingBegan)
        #expect(machine.state == "nothing, idle, reading for what is stale")
    }

    @Test("Of several emptyings the last decides from when on the source is read")
    func severalEmptyings() {
        var machine = SourceSituation.content.machine()
        machine.receive(.reset(initial: nil, .requested))
        machine.receive(.reset(initial: nil, .requested))
        machine.receive(.consult(.nothing))
        for isLast in [false, true] {
            machine.receive(.sourceEmptied)
            machine.receive(.readingBegan)
            #expect(machine.state == "nothing, idle, \(isLast ? "reading" : "to be read") for nothing")
        }
    }

    @Test("A change of before an emptying is not shown after it")
    func changeBeforeEmptying() {
        var machine = SourceSituation.content.machine()
        machine.receive(.reset(initial: nil, .requested))
        #expect(machine.receive(.sourceChanged(.of("Bea"))) == [])
        machine.receive(.sourceEmptied)
        #expect(machine.state == "nothing, idle")
        machine.receive(.sourceChanged(.of("Cid")))
        #expect(machine.state == "Cid, idle")
    }

    static let changesToNothing: [SourceRow] = [
        SourceRow(.content, "a change to nothing", .sourceChanged(nil), "nothing, idle", "cleared (written)", "notify"),
        SourceRow(
            .refetching, "a change to nothing", .sourceChanged(nil), "nothing, idle", "cleared (written)", "stop 1",
            "cancelled (written)", "settle cancelled", "notify"),
        SourceRow(
            .loadingPage, "a change to nothing", .sourceChanged(nil), "nothing, idle", "stop 2", "cancelled (written)",
            "settle next page cancelled", "cleared (written)", "notify"),
        SourceRow(.failed, "a change to nothing", .sourceChanged(nil), "nothing, idle", "cleared (written)", "notify"),
        SourceRow(
            .asked, "a change to nothing", .sourceChanged(nil), "nothing, idle, to be read for what is stale",
            "cleared (written)", "notify"),
    ]

    @Test("A change that leaves nothing ends what was to follow it, and no reading", arguments: changesToNothing)
    func changesToNothingAsTabled(_ row: SourceRow) { Self.check(row) }

    @Test("A change leaves a fetch that was asked for after it")
    func changeBeforeFetch() {
        var machine = SourceSituation.invalidated.machine()
        let generation = machine.entry.generation
        machine.receive(.invalidate())
        #expect(
            machine.receive(.sourceChanged(.of("Bea"), asked: generation)) == ["written (written)", "notify"])
        #expect(machine.state == "Bea, fetching 2, invalidated")
        machine.receive(.sourceChanged(.of("Cid"), asked: generation + 2))
        #expect(machine.state == "Cid, idle")
    }

    @Test("Who never wants it is not fetched for when the program returns, also when nothing is there")
    func neverTriggers() {
        var machine = SourceSituation.failed.machine {
            $0.refetchOnForeground = .never
            $0.refetchOnReconnect = .never
        }
        #expect(machine.receive(.surroundings(.returned)) == [])
        #expect(machine.receive(.surroundings(.reconnected)) == [])
    }

    @Test("An observer that does not fetch sees what the source holds, also when it is enabled later")
    func enabledLaterWithoutFetch() {
        var machine = SourceSituation.unread.machine()
        machine.receive(.observeDisabled())
        #expect(machine.receive(.renew(.observer(1) { $0.fetchesOnAttach = false })).contains("read source"))
        #expect(machine.state == "nothing, idle, to be read for nothing")
    }

    @Test("An invalidation is noted in the source, whether it was read, or failed to be fetched, before")
    func invalidationIsAlwaysNoted() {
        for situation in [SourceSituation.unread, .asked, .reading, .failed, .refetchFailed, .invalidated] {
            var machine = situation.machine()
            #expect(machine.receive(.invalidate(.none)).contains("persist stale"), "\(situation)")
        }
    }

    @Test("What a reading finds under an optimistic layer is there when the layer goes")
    func underLayers() {
        var machine = SourceSituation.optimistic.machine()
        machine.receive(.consult(.nothing))
        machine.receive(.readingBegan)
        let candidate = CommitCandidate(base: PayloadOf("Cid"), shown: PayloadOf("Bea"), isSame: true)
        #expect(machine.receive(.reading(.content(candidate, isStale: false))) == ["source read"])
        #expect(machine.value == "Bea")
        #expect(machine.base == "Cid")
    }

    @Test("A cancellation during a reading calls off the fetch that it would lead to")
    func cancelledDemands() {
        for answer in [EntryInput.read("Ann", isStale: true), .reading(.nothing)] {
            var machine = SourceSituation.readingTwice.machine()
            machine.receive(.cancel(.requested))
            #expect(machine.state == "nothing, idle, reading for nothing, to be read for nothing")
            machine.receive(answer)
            machine.receive(.readingBegan)
            machine.receive(answer)
            #expect(machine.entry.flight == nil)
        }
    }

    @Test("when the last one leaves during a reading, the fetch goes on or not, as the definition says", .rule("A13"))
    func abandonedDemands() {
        for policy in [AbandonPolicy.finish, .cancel] {
            for leaving in [EntryInput.detach(observer: 1), .leave()] {
                var machine = Machine { $0.whenAbandoned = policy }
                machine.giveSource()
                if case .leave = leaving {
                    machine.receive(.join)
                    machine.receive(.consult(.ifStale(.requested)))
                } else {
                    machine.receive(.observe())
                }
                machine.receive(.readingBegan)
                machine.receive(leaving)
                machine.receive(.read("Ann", isStale: true))
                #expect(machine.value == "Ann")
                #expect((machine.entry.flight == nil) == (policy == .cancel))
            }
        }
    }
}
