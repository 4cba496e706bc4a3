import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Publishers and sequences of resources with a type")
struct TypedPublisherTests {
    let provider = ManualProvider()
    let typed: TypedResource<String>

    init() {
        typed = Service(baseURL: "https://api.test", networking: provider, client: QueryClient())
            .resource("/a").typed()
    }

    @Test("bring the resource's states and content without a word of the type")
    func publishers() {
        let (states, contents) = (Recorder<String?>(), Recorder<String>())
        let (optional, failing) = (Recorder<String?>(), Recorder<String>())
        let subscriptions = [
            typed.statePublisher(deliveredOn: .immediate).sink { states.append($0.content) },
            typed.contentPublisher(deliveredOn: .immediate).sink { contents.append($0) },
            typed.optionalContentPublisher(deliveredOn: .immediate).sink { optional.append($0) },
            typed.failingContentPublisher(deliveredOn: .immediate).sink(
                receiveCompletion: { _ in }, receiveValue: { failing.append($0) }),
        ]
        #expect(contents.all.isEmpty && failing.all.isEmpty)
        #expect(states.all == [nil, nil] && optional.all == [nil])
        typed.overrideLocalContent(with: "one")
        #expect(states.all.last == "one" && contents.all == ["one"])
        #expect(optional.all == [nil, "one"] && failing.all == ["one"])
        _ = subscriptions
    }

    @Test("Content in memory is there within the subscription, on the main actor too")
    @MainActor
    func delivery() {
        typed.overrideLocalContent(with: "one")
        let seen = Recorder<String>()
        let subscription = typed.contentPublisher().sink { seen.append($0) }
        #expect(seen.all == ["one"])
        _ = subscription
    }

    @Test("A content of another type fails the publisher that says so")
    func mismatch() {
        let failures = Recorder<String>()
        typed.resource.overrideLocalContent(with: 1)
        let subscription = typed.failingContentPublisher(deliveredOn: .immediate).sink(
            receiveCompletion: { completion in
                guard case .failure(let error) = completion else { return }
                failures.append("\(type(of: error.cause ?? error))")
            }, receiveValue: { failures.append($0) })
        typed.resource.overrideLocalContent(with: 2)
        #expect(failures.all == ["WrongContentType"])
        _ = subscription
    }

    @Test("Sequences begin with what is there")
    func sequences() async {
        typed.overrideLocalContent(with: "one")
        var seen: [String?] = []
        for await state in typed.states {
            seen.append(state.content)
            break
        }
        typed.resource.wipe()
        for await state in typed.states {
            seen.append(state.content)
            break
        }
        #expect(seen == ["one", nil])
    }

    @Test("An overlay watches them as it watches others, and only the newest of a stream")
    func overlay() {
        let overlay = StatusOverlay()
        let newest = PassthroughSubject<TypedResource<String>?, Never>()
        let subscription = newest.watchedBy(statusOverlay: overlay).sink { _ in }
        newest.send(.fakeLoading())
        #expect(overlay.status == .loading)
        newest.send(.fake("one"))
        #expect(overlay.status == .content)
        newest.send(nil)
        #expect(overlay.status == .nothing)
        let loading = TypedResource<String>.fakeLoading()
        overlay.watch(loading)
        #expect(overlay.status == .loading)
        overlay.unwatch(loading)
        #expect(overlay.status == .nothing)
        subscription.cancel()
    }

    @Test("A stream that always has one lets go of it when it is cancelled")
    func cancelling() {
        let overlay = StatusOverlay()
        let newest = CurrentValueSubject<TypedResource<String>, Never>(.fakeLoading())
        let subscription = newest.watchedBy(statusOverlay: overlay).sink { _ in }
        #expect(overlay.status == .loading)
        subscription.cancel()
        #expect(overlay.status == .nothing)
    }
}
