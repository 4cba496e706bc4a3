#if canImport(UIKit)
    import PigeonCore
    import PigeonREST
    import PigeonUI
    import TestSupport
    import Testing
    import UIKit
    import ViewSupport

    @Suite("A view that covers what is not there yet")
    @MainActor
    struct ResourceStatusOverlayTests {
        let overlay = ResourceStatusOverlay()
        let loadable = ScriptedLoadable()

        @Test("Nothing is shown before anything is watched")
        func beginning() {
            #expect(overlay.isHidden)
        }

        @Test("It shows a spinner during a load, and is hidden once there is content")
        func loading() {
            overlay.watch(loadable)
            #expect(overlay.isHidden)
            loadable.change { $0.isLoading = true }
            #expect(overlay.visibleText == ["…"])
            loadable.change { part in
                part.isLoading = false
                part.hasContent = true
            }
            #expect(overlay.isHidden)
            #expect((overlay.loadingIndicator as? UIActivityIndicatorView)?.isAnimating == false)
        }

        @Test("It shows what an error says, and a button that loads again as a manual load")
        func failure() {
            overlay.displayPriority = [.manualLoading, .error]
            overlay.watch(loadable)
            loadable.fail("The server sleeps.")
            #expect(overlay.visibleText == ["This could not be loaded", "The server sleeps.", "Try Again"])
            #expect(loadable.loads.isEmpty)

            overlay.retryButton?.tap()
            #expect(loadable.loads.count == 1)
            #expect(overlay.visibleText == ["…"])
            loadable.loads[0].end()
            #expect(overlay.visibleText.contains("The server sleeps."))
        }

        @Test("There is no button where nothing can be loaded again")
        func noRetry() {
            overlay.watch(loadable)
            loadable.change { $0.canReload = false }
            loadable.fail("Gone.")
            #expect(overlay.visibleText == ["This could not be loaded", "Gone."])
        }

        @Test("A rule that is set decides at once")
        func priority() {
            overlay.watch(loadable)
            loadable.change { part in
                part.isLoading = true
                part.hasContent = true
            }
            #expect(!overlay.isHidden)
            overlay.displayPriority = .standard
            #expect(overlay.isHidden)
        }

        @Test("A request that the user started covers content, where a rule says so, until it ends")
        func manualLoad() async {
            let answers = Answers()
            let service = Service(baseURL: "https://people.test", networking: answers.transport, client: QueryClient())
            overlay.displayPriority = [.manualLoading, .anyData]
            overlay.watch(loadable)
            loadable.change { $0.hasContent = true }
            #expect(overlay.isHidden)
            let request = service.resource("/ann").load()
            overlay.trackManualLoad(request)
            #expect(overlay.visibleText == ["…"])
            request.cancel()
            await until { overlay.isHidden }
        }

        @Test("What was watched twice is watched until it is let go twice")
        func counting() {
            overlay.watch(loadable)
            overlay.watch(loadable)
            loadable.change { $0.isLoading = true }
            overlay.unwatch(loadable)
            #expect(!overlay.isHidden)
            overlay.unwatch(loadable)
            #expect(overlay.isHidden)
            #expect(loadable.listeners == 0)
        }

        @Test("A change on any thread is shown")
        func threads() async {
            overlay.watch(loadable)
            let loadable = loadable
            await Task.detached {
                for _ in 0..<50 {
                    loadable.change { $0.isLoading = true }
                    loadable.change { $0.isLoading = false }
                }
                loadable.fail("At last.")
            }.value
            await until { overlay.visibleText.contains("At last.") }
            #expect((overlay.loadingIndicator as? UIActivityIndicatorView)?.isAnimating == false)
        }

        @Test("An observer of a resource watches it, as long as its owner has it observe")
        func observing() async {
            let resource = Resource.fakeLoading()
            let owner = UIView()
            resource.addObserver(overlay, owner: owner)
            #expect(overlay.visibleText == ["…"])
            resource.removeObservers(ownedBy: owner)
            await until { overlay.isHidden }
            #expect(!resource.isObserved)
        }

        @Test("A show that lets go of what is watched, or watches more, ends with what there is then")
        func reentrancy() {
            let other = ScriptedLoadable()
            other.fail("From within.")
            let overlay = WatchingOverlay()
            overlay.other = other
            overlay.watch(loadable)
            overlay.current = loadable
            loadable.change { $0.isLoading = true }
            #expect(overlay.visibleText.contains("From within."))
            #expect(loadable.listeners == 0)
        }

        @Test("It is freed with its owner, and lets go of what it watched")
        func lifetime() async {
            weak var freed: ResourceStatusOverlay?
            do {
                let overlay = ResourceStatusOverlay()
                overlay.watch(loadable)
                overlay.embed(in: UIViewController())
                loadable.fail("…")
                overlay.retryFailedRequests()
                freed = overlay
                #expect(loadable.listeners == 1)
            }
            await until { freed == nil && loadable.listeners == 0 }
            loadable.loads[0].end()
        }
    }

    @MainActor
    private final class WatchingOverlay: ResourceStatusOverlay {
        var current: ScriptedLoadable?
        var other: ScriptedLoadable?

        override func show(_ status: ResourceStatus) {
            super.show(status)
            guard case .loading = status, let other, let current else { return }
            self.other = nil
            unwatch(current)
            watch(other)
        }
    }
#endif
