import PigeonREST
import TestSupport
import Testing

@Suite("Status overlays")
struct StatusOverlayTests {
    private let overlay = StatusOverlay()
    private let heard = Recorder<String>()

    private func listen() -> QuerySubscription {
        overlay.onChange { [heard] in heard.append($0.name) }
    }

    @Test("shows what several resources are at, together", .rule("Siesta 38"))
    func several() {
        let (user, list) = (ScriptedLoadable(hasContent: true), ScriptedLoadable())
        #expect(overlay.status == .nothing)
        overlay.watch(user)
        overlay.watch(list)
        #expect(overlay.status == .content)
        list.change { $0.isLoading = true }
        #expect(overlay.status == .loading)
        list.change {
            $0.isLoading = false
            $0.latestError = RequestError(userMessage: "Rate limit exceeded", cause: Mishap())
        }
        #expect(overlay.status.name == "Rate limit exceeded of 1")
    }

    @Test("the rules can be changed at any time", .rule("Siesta 38"))
    func priority() {
        overlay.watch(ScriptedLoadable(isLoading: true, hasContent: true))
        #expect(overlay.displayPriority == [.loading, .error, .anyData])
        #expect(overlay.status == .loading)
        let subscription = listen()
        overlay.displayPriority = .standard
        #expect(overlay.status == .content)
        #expect(heard.all == ["loading", "content"])
        subscription.cancel()
    }

    @Test("retry loads again whatever failed, however recent that is, and again after that", .rule("R5", "Siesta S24"))
    func retry() {
        let (failed, fine) = (ScriptedLoadable(failed: "no"), ScriptedLoadable(hasContent: true))
        let other = ScriptedLoadable(failed: "neither")
        for loadable in [fine, failed, other] { overlay.watch(loadable) }
        overlay.retryFailedRequests()
        overlay.retryFailedRequests()
        #expect([fine, failed, other].map(\.reloads) == [0, 2, 2])
    }

    @Test("what cannot be loaded again is not", .rule("Siesta S24"))
    func noRetry() {
        let failed = ScriptedLoadable(failed: "no")
        failed.change { $0.canReload = false }
        overlay.watch(failed)
        overlay.retryFailedRequests()
        #expect(failed.reloads == 0)
    }

    @Test("a retry counts as a manual load until it has ended", .rule("Siesta 38"))
    func manualRetry() {
        let overlay = StatusOverlay(displayPriority: [.manualLoading, .error])
        let failed = ScriptedLoadable(failed: "no")
        overlay.watch(failed)
        overlay.retryFailedRequests()
        #expect(overlay.status == .loading)
        failed.load.end()
        #expect(overlay.status.name == "no of 0")
    }

    @Test("manual loads are shown until the last has ended, and other loads are not", .rule("Siesta 38"))
    func manual() {
        let overlay = StatusOverlay(displayPriority: [.manualLoading, .anyData])
        overlay.watch(ScriptedLoadable(isLoading: true, hasContent: true))
        #expect(overlay.status == .content)
        let loads = [ScriptedLoad(), ScriptedLoad()]
        loads.forEach { overlay.trackManualLoad($0) }
        loads[0].end()
        #expect(overlay.status == .loading)
        loads[1].end()
        #expect(overlay.status == .content)
        overlay.trackManualLoad(loads[0])
        #expect(overlay.status == .content)
    }

    @Test("A task is a manual load")
    func task() async {
        let overlay = StatusOverlay(displayPriority: [.manualLoading])
        let (gate, ended) = (Gate(), Gate())
        overlay.trackManualLoad(Task { await gate.wait() })
        #expect(overlay.status == .loading)
        let subscription = overlay.onChange { if $0 == .nothing { ended.open() } }
        gate.open()
        await ended.wait()
        #expect(overlay.status == .nothing)
        subscription.cancel()
    }

    @Test("A resource that is let go no longer counts, and is no longer listened to")
    func unwatch() {
        let loadable = ScriptedLoadable(isLoading: true)
        overlay.watch(loadable)
        #expect(loadable.listeners == 1)
        overlay.unwatch(loadable)
        #expect(overlay.status == .nothing)
        #expect(loadable.listeners == 0)
        overlay.unwatch(loadable)
        overlay.watch(loadable)
        #expect(overlay.status == .loading)
    }

    @Test("what is watched twice is listened to once, and watched until it was let go twice", .rule("Siesta C12"))
    func counted() {
        let loadable = ScriptedLoadable(isLoading: true)
        overlay.watch(loadable)
        overlay.watch(loadable)
        #expect(loadable.listeners == 1)
        overlay.unwatch(loadable)
        #expect(overlay.status == .loading)
        #expect(loadable.listeners == 1)
        overlay.unwatch(loadable)
        #expect(overlay.status == .nothing)
        #expect(loadable.listeners == 0)
    }

    @Test("Listeners hear the status at once, then each change, and nothing twice")
    func listeners() {
        let loadable = ScriptedLoadable()
        overlay.watch(loadable)
        let subscription = listen()
        loadable.change { $0.isLoading = true }
        loadable.change { $0.hasContent = true }
        loadable.change { $0.isLoading = false }
        #expect(heard.all == ["nothing", "loading", "content"])
        subscription.cancel()
        loadable.change { $0.isLoading = true }
        #expect(heard.all.count == 3)
    }

    @Test("A listener that changes what it hears of is told of that after, and the others in the same order")
    func reentrant() {
        let loadable = ScriptedLoadable()
        overlay.watch(loadable)
        let first = overlay.onChange { [heard] status in
            heard.append("first: \(status.name)")
            if status == .loading { loadable.change { $0 = .init(hasContent: true) } }
            heard.append("first: end")
        }
        let second = overlay.onChange { [heard] in heard.append("second: \($0.name)") }
        loadable.change { $0.isLoading = true }
        #expect(
            heard.all == [
                "first: nothing", "first: end", "second: nothing",
                "first: loading", "first: end", "first: content", "first: end", "second: content",
            ])
        first.cancel()
        second.cancel()
    }

    @Test("Nobody listens to resources for an overlay that was let go, and those are let go too")
    func freed() {
        let loadable = ScriptedLoadable()
        weak var (heldOverlay, heldLoadable): (StatusOverlay?, ScriptedLoadable?)
        do {
            let overlay = StatusOverlay()
            let other = ScriptedLoadable()
            overlay.watch(loadable)
            overlay.watch(other)
            (heldOverlay, heldLoadable) = (overlay, other)
            let subscription = overlay.onChange { _ in }
            subscription.cancel()
        }
        #expect(heldOverlay == nil)
        #expect(heldLoadable == nil)
        #expect(loadable.listeners == 0)
    }

    @Test("An overlay that was let go does not wait for manual loads")
    func freedWhileLoading() {
        weak var held: StatusOverlay?
        let load = ScriptedLoad()
        do {
            let overlay = StatusOverlay()
            overlay.trackManualLoad(load)
            held = overlay
        }
        #expect(held == nil)
        load.end()
    }

    @Test("Many threads end with the right status, heard last", arguments: 0..<10)
    func stress(round: Int) async {
        let loadables = (0..<4).map { _ in ScriptedLoadable() }
        let overlay = overlay
        let subscription = listen()
        await withTaskGroup(of: Void.self) { group in
            for loadable in loadables {
                group.addTask {
                    for turn in 0..<200 {
                        overlay.watch(loadable)
                        loadable.change { $0.isLoading = turn % 2 == 0 }
                        overlay.unwatch(loadable)
                    }
                    loadable.change { $0 = .init(hasContent: true) }
                    overlay.watch(loadable)
                }
            }
        }
        #expect(overlay.status == .content)
        #expect(heard.all.last == "content")
        #expect(zip(heard.all, heard.all.dropFirst()).allSatisfy { $0 != $1 })
        for loadable in loadables {
            #expect(loadable.listeners == 1)
            overlay.unwatch(loadable)
            #expect(loadable.listeners == 0)
        }
        subscription.cancel()
    }
}
