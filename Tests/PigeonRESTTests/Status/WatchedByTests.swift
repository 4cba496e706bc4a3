import PigeonREST
import TestSupport
import Testing

@Suite("watchedBy")
struct WatchedByTests {
    private let overlay = SpyOverlay()
    private let a = ScriptedLoadable("a")
    private let b = ScriptedLoadable("b")
    private let resources = ScriptedPublisher<ScriptedLoadable?, Mishap>()
    private let subscriber = ScriptedSubscriber<ScriptedLoadable?, Mishap>()

    private func subscribe(_ subscriber: ScriptedSubscriber<ScriptedLoadable?, Mishap>) {
        resources.watchedBy(statusOverlay: overlay).subscribe(subscriber)
    }

    @Test("only the newest resource is watched; without one, none is", .rule("Siesta 44"))
    func newest() {
        subscribe(subscriber)
        resources.send(a)
        #expect(overlay.watched == ["a"])
        resources.send(b)
        #expect(overlay.watched == ["b"])
        resources.send(nil)
        #expect(overlay.watched == [])
        #expect(subscriber.values.map { $0?.name } == ["a", "b", nil])
        #expect(a.reloads == 0)
    }

    @Test("a resource is watched before it is passed on", .rule("Siesta 44"))
    func order() {
        let (overlay, heard) = (overlay, Recorder<[String]>())
        subscribe(
            ScriptedSubscriber { _ in
                heard.append(overlay.watched)
                return .none
            })
        resources.send(a)
        resources.send(b)
        #expect(heard.all == [["a"], ["b"]])
    }

    @Test("the same resource again stays watched all along", .rule("Siesta 44"))
    func same() {
        subscribe(subscriber)
        resources.send(a)
        resources.send(a)
        #expect(overlay.watched == ["a"])
        #expect(overlay.log == ["+a", "+a", "-a"])
    }

    @Test("on cancel the overlay lets go of the last resource, and the upstream is cancelled", .rule("Siesta C12"))
    func cancel() {
        subscribe(subscriber)
        resources.send(a)
        subscriber.cancel()
        #expect(overlay.watched == [])
        #expect(resources.isCancelled)
        resources.send(b)
        #expect(overlay.watched == [])
        #expect(subscriber.values.count == 1)
    }

    @Test("at the end the overlay lets go of the last resource", .rule("Siesta C12"), arguments: [true, false])
    func completion(fails: Bool) {
        subscribe(subscriber)
        resources.send(a)
        let end: Subscribers.Completion<Mishap> = fails ? .failure(Mishap()) : .finished
        resources.end(end)
        #expect(overlay.watched == [])
        #expect(subscriber.ends == [end])
    }

    @Test(
        "two streams that have one overlay watch the same resource do not take it from each other", .rule("Siesta C12"))
    func twoStreams() {
        let overlay = StatusOverlay()
        let loading = ScriptedLoadable(isLoading: true)
        let streams = (0..<2).map { _ in ScriptedPublisher<ScriptedLoadable, Never>() }
        let subscriptions = streams.map { $0.watchedBy(statusOverlay: overlay).sink { _ in } }
        streams.forEach { $0.send(loading) }
        streams[0].send(ScriptedLoadable())
        #expect(overlay.status == .loading)
        subscriptions[1].cancel()
        #expect(overlay.status == .nothing)
        subscriptions[0].cancel()
    }

    @Test("the overlay is not kept, and resources go on without it", .rule("Siesta C12"))
    func weakOverlay() {
        weak var held: StatusOverlay?
        do {
            let overlay = StatusOverlay()
            resources.watchedBy(statusOverlay: overlay).subscribe(subscriber)
            resources.send(a)
            held = overlay
        }
        #expect(held == nil)
        #expect(a.listeners == 0)
        resources.send(b)
        #expect(subscriber.values.count == 2)
    }

    @Test("Passes on what is asked for")
    func demand() {
        let subscriber = ScriptedSubscriber<ScriptedLoadable?, Mishap>(.max(1)) { _ in .max(2) }
        subscribe(subscriber)
        resources.send(a)
        subscriber.request(.max(3))
        #expect(resources.asked == [.max(1), .max(2), .max(3)])
    }

    @Test("A stream that is cancelled by what watching brings about leaves nothing watched, and passes nothing on")
    func cancelledInside() {
        let subscriber = subscriber
        overlay.onWatch { subscriber.cancel() }
        subscribe(subscriber)
        resources.send(a)
        #expect(overlay.watched == [])
        #expect(subscriber.values.isEmpty)
    }

    @Test("A newer resource that watching brings about is the one that stays watched")
    func newerInside() {
        let (resources, b, once) = (resources, b, Recorder<Int>())
        overlay.onWatch {
            guard once.all.isEmpty else { return }
            once.append(0)
            resources.send(b)
        }
        subscribe(subscriber)
        resources.send(a)
        #expect(overlay.watched == ["b"])
        subscriber.cancel()
        #expect(overlay.watched == [])
    }

    @Test("A cancel on another thread leaves nothing watched", arguments: 0..<50)
    func race(round: Int) async {
        let (resources, subscriber, a, b) = (resources, subscriber, a, b)
        subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for turn in 0..<20 { resources.send(turn % 2 == 0 ? a : b) } }
            group.addTask { subscriber.cancel() }
        }
        #expect(overlay.watched == [])
    }
}

/// Records which resources it is asked to watch.
private final class SpyOverlay: ResourceStatusObserving {
    private struct State {
        var log: [String] = []
        var counts: [String: Int] = [:]
        var onWatch: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var log: [String] { state.withLock { $0.log } }
    var watched: [String] { state.withLock { $0.counts.filter { $0.value != 0 }.keys.sorted() } }

    func onWatch(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onWatch = action }
    }

    func watch(_ loadable: any Loadable) { note(loadable, "+", 1)?() }
    func unwatch(_ loadable: any Loadable) { _ = note(loadable, "-", -1) }

    private func note(_ loadable: any Loadable, _ sign: String, _ count: Int) -> (@Sendable () -> Void)? {
        guard let name = (loadable as? ScriptedLoadable)?.name else { return nil }
        return state.withLock { state in
            state.log.append(sign + name)
            state.counts[name, default: 0] += count
            return state.onWatch
        }
    }
}
