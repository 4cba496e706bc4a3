import PigeonREST
import TestSupport
import Testing

@Suite("Streams of statuses")
struct StatusStreamTests {
    private let overlay = StatusOverlay()
    private let loadable = ScriptedLoadable()

    init() {
        overlay.watch(loadable)
    }

    @Test("A publisher sends the status at once, then each change, until it is cancelled")
    func publisher() {
        let subscriber = ScriptedSubscriber<ResourceStatus, Never>()
        overlay.statusPublisher.subscribe(subscriber)
        loadable.change { $0.isLoading = true }
        loadable.change { $0.isLoading = false }
        #expect(subscriber.values == [.nothing, .loading, .nothing])
        subscriber.cancel()
        loadable.change { $0.isLoading = true }
        #expect(subscriber.values.count == 3)
    }

    @Test("a subscriber without demand finds the newest status when it asks", .rule("Siesta C2"))
    func demand() {
        let subscriber = ScriptedSubscriber<ResourceStatus, Never>(.none)
        overlay.statusPublisher.subscribe(subscriber)
        loadable.change { $0.isLoading = true }
        loadable.change { $0 = .init(hasContent: true) }
        #expect(subscriber.values.isEmpty)
        subscriber.request(.max(1))
        #expect(subscriber.values == [.content])
        subscriber.request(.max(1))
        #expect(subscriber.values == [.content])
        loadable.change { $0.isLoading = true }
        #expect(subscriber.values == [.content, .loading])
    }

    @Test("A publisher keeps its overlay for as long as somebody is subscribed")
    func keeps() {
        weak var held: StatusOverlay?
        let subscriber = ScriptedSubscriber<ResourceStatus, Never>()
        do {
            let overlay = StatusOverlay()
            overlay.statusPublisher.subscribe(subscriber)
            held = overlay
        }
        #expect(held != nil)
        subscriber.cancel()
        #expect(held == nil)
    }

    @Test("A sequence brings the status at once, then the newest")
    func sequence() async {
        var iterator = overlay.statuses.makeAsyncIterator()
        #expect(await iterator.next() == .nothing)
        loadable.change { $0.isLoading = true }
        #expect(await iterator.next() == .loading)
        loadable.change { $0 = .init(hasContent: true) }
        loadable.change { $0.isLoading = true }
        #expect(await iterator.next() == .loading)
    }

    @Test("A sequence keeps its overlay while it is read, and no longer")
    func sequenceFreed() async {
        weak var held: StatusOverlay?
        do {
            let overlay = StatusOverlay()
            held = overlay
            let statuses = overlay.statuses
            var iterator: AsyncStream<ResourceStatus>.Iterator? = statuses.makeAsyncIterator()
            #expect(await iterator?.next() == .nothing)
            iterator = nil
        }
        #expect(held == nil)
    }
}
