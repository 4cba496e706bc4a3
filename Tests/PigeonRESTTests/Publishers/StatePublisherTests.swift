import Foundation
import PigeonBase
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Publishers of resource states")
struct StatePublisherTests {
    let provider = ManualProvider()
    let clock = ManualClock()
    let service: Service

    init() {
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        service = Service(baseURL: "https://api.test", networking: provider, client: client)
    }

    /// Subscribes, and keeps what comes.
    func heard<T: Sendable>(_ publisher: some Publisher<T, Never>) -> (log: Recorder<T>, cancellable: AnyCancellable) {
        let log = Recorder<T>()
        return (log, publisher.sink { log.append($0) })
    }

    func states(of resource: Resource) -> AnyPublisher<ResourceState<String>, Never> {
        resource.statePublisher(deliveredOn: .immediate)
    }

    @Test("subscribing shows how things are and loads; each event is one state", .rule("Siesta 40"))
    func events() async throws {
        let resource = service.resource("/a")
        let (log, cancellable) = heard(states(of: resource))
        let load = try #require(resource.loadIfNeeded())
        provider.last?.answer("one")
        _ = await load.response()
        #expect(log.all.map(\.latestEvent) == [.observerAdded, .requested, .newData(.network)])
        #expect(log.all.map(\.isLoading) == [false, true, false])
        #expect(log.all.map(\.content) == [nil, nil, "one"])
        #expect(provider.exchanges.count == 1)
        _ = cancellable
    }

    @Test("many subscribers share one load", .rule("Siesta 40"))
    func sharedLoad() {
        let resource = service.resource("/a")
        let all = (1...5).map { _ in heard(states(of: resource)) }
        #expect(provider.exchanges.count == 1)
        #expect(all.allSatisfy { $0.log.all.last?.isLoading == true })
    }

    @Test(
        "content of another type is none, with an error that names both types, and the resource has none",
        .rule("Siesta 41"))
    func wrongType() async {
        let resource = service.resource("/a")
        let load = resource.load()
        provider.last?.answer("text")
        _ = await load.response()
        let (log, _) = heard(
            resource.statePublisher(deliveredOn: .immediate) as AnyPublisher<ResourceState<Int>, Never>)
        let state = log.all.first
        #expect(state?.content == nil)
        let cause = state?.latestError?.cause as? RequestError.Cause.WrongContentType
        #expect(cause?.expected == Int.self)
        #expect(cause?.actual == String.self)
        #expect(resource.latestError == nil)
    }

    @Test("a real error wins over that of a wrong type", .rule("Siesta 41"))
    func realErrorWins() async {
        let resource = service.resource("/a")
        let first = resource.load()
        provider.last?.answer("text")
        _ = await first.response()
        let second = resource.load()
        provider.last?.answer("", status: 500)
        _ = await second.response()
        let state = resource.state(as: Int.self)
        #expect(state.content == nil)
        #expect(state.latestError?.httpStatusCode == 500)
    }

    @Test("a sink that loads for each content gets each in a turn of its own, and what the server answers", .rule("U2"))
    @MainActor
    func loadsForEachContent() async {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: "one")
        let log = Recorder<String>()
        let contents: AnyPublisher<String, Never> = resource.contentPublisher()
        var (inTurn, most) = (0, 0)
        let cancellable = contents.sink { content in
            log.append(content)
            inTurn += 1
            most = max(most, inTurn)
            Task { inTurn = 0 }  // on the main actor, after the current turn
            guard inTurn < 1000, content != "two" else { return }  // so that an endless turn fails the test
            resource.load()
        }
        #expect(log.all == ["one"], "within the call that subscribes")
        await log.wait(for: 3)
        let (load, exchange) = (resource.loadRequests.first, provider.exchanges.first)
        exchange?.answer("two")
        _ = await load?.response()
        await until { log.all.last == "two" }
        #expect(most < 1000)
        cancellable.cancel()
    }

    @Test("content comes with every event that finds some, and nil too where that is wanted", .rule("Siesta 42"))
    func contents() async {
        let resource = service.resource("/a")
        let (contents, one) = heard(resource.contentPublisher(deliveredOn: .immediate) as AnyPublisher<String, Never>)
        let (optionals, two) = heard(
            resource.optionalContentPublisher(deliveredOn: .immediate) as AnyPublisher<String?, Never>)
        let load = resource.load()
        provider.last?.answer("one")
        _ = await load.response()
        let again = resource.load()
        provider.last?.answer("", status: 500)
        _ = await again.response()
        #expect(contents.all == ["one", "one", "one"])  // new data, requested, error
        #expect(optionals.all.prefix(2) == [nil, nil])
        #expect(optionals.all.last == "one")
        _ = (one, two)
    }

    @Test("each state is of its event, however fast they follow each other", .rule("Siesta C1"))
    func consistency() async {
        let resource = service.resource("/a")
        let (log, cancellable) = heard(states(of: resource))
        resource.overrideLocalContent(with: "one")
        resource.overrideLocalContent(with: "two")
        resource.wipe()
        let seen = log.all.map { "\($0.latestEvent) \($0.content ?? "-") \($0.isLoading)" }
        #expect(
            seen == [
                "observerAdded - false", "requested - true", "newData(localOverride) one true",
                "newData(localOverride) two true", "newData(wipe) - false", "requestCancelled - false",
            ])
        _ = cancellable
    }

    @Test("states are of their events where observers change the resource meanwhile", .rule("Siesta C1"))
    func reentrantConsistency() {
        let resource = service.resource("/a")
        let log = Recorder<String>()
        let cancellable = states(of: resource).sink { state in
            log.append("\(state.latestEvent) \(state.content ?? "-")")
            if state.content == "one" {
                resource.overrideLocalContent(with: "two")
                resource.overrideLocalContent(with: "three")
            }
        }
        resource.overrideLocalContent(with: "one")
        #expect(
            log.all.suffix(3) == [
                "newData(localOverride) one", "newData(localOverride) two", "newData(localOverride) three",
            ])
        _ = cancellable
    }

    @Test("a state says what was in flight and up to date at its event, not when it is delivered", .rule("Siesta C1"))
    func oneMoment() {
        let resource = service.resource("/a")
        let log = Recorder<String>()
        let cancellable = states(of: resource).sink { state in
            let marks = [
                state.isLoading ? "loading" : nil, state.isRequesting ? "requesting" : nil,
                state.isUpToDate ? "up to date" : nil,
            ].compactMap { $0 }
            log.append("\(state.latestEvent): \(marks.joined(separator: ", "))")
            guard state.content == "one" else { return }
            resource.overrideLocalContent(with: "two")
            resource.wipe()
        }
        resource.overrideLocalContent(with: "one")
        #expect(
            log.all == [
                "observerAdded: ", "requested: loading, requesting",
                "newData(localOverride): loading, requesting, up to date",
                "newData(localOverride): loading, requesting, up to date", "newData(wipe): ", "requestCancelled: ",
            ])
        _ = cancellable
    }

    @Test("a state says that another request was in flight at its event, though it has ended since", .rule("Siesta C1"))
    func otherRequests() {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: "one")
        let other = resource.request(.delete)
        let log = Recorder<String>()
        let cancellable = states(of: resource).sink { state in
            log.append("\(state.content ?? "-") \(state.isRequesting)")
            guard state.content == "two" else { return }
            resource.overrideLocalContent(with: "three")
            other.cancel()
            resource.overrideLocalContent(with: "four")
        }
        resource.overrideLocalContent(with: "two")
        #expect(log.all == ["one true", "two true", "three true", "four false"])
        _ = cancellable
    }

    @Test("who asks for more later finds the newest state", .rule("Siesta C2"))
    func demand() throws {
        let resource = service.resource("/a")
        let subscriber = SlowSubscriber()
        states(of: resource).receive(subscriber: subscriber)
        resource.overrideLocalContent(with: "one")
        resource.overrideLocalContent(with: "two")
        #expect(subscriber.states.map(\.latestEvent) == [.observerAdded])
        subscriber.subscription?.request(.max(1))
        #expect(subscriber.states.map(\.content) == [nil, "two"])
        subscriber.subscription?.cancel()
    }

    @Test("cancelling lets the load go, unless somebody else observes by then", .rule("Siesta C3"))
    func cancelling() throws {
        let (one, two) = (service.resource("/a"), service.resource("/b"))
        let (first, second) = (heard(states(of: one)), heard(states(of: two)))
        let owner = Owner()
        first.cancellable.cancel()
        second.cancellable.cancel()
        two.addObserver(owner: owner) { _, _ in }
        #expect(!one.isObserved)
        #expect(one.isLoading)
        clock.advance(by: .milliseconds(50))
        #expect(provider.exchanges.map(\.isCancelled) == [true, false])
        #expect(!one.isLoading)
        #expect(two.isLoading)
    }

    @Test("no state comes after cancelling", .rule("Siesta C3"))
    func silence() {
        let resource = service.resource("/a")
        let (log, cancellable) = heard(states(of: resource))
        let before = log.all.count
        cancellable.cancel()
        resource.overrideLocalContent(with: "one")
        #expect(log.all.count == before)
    }

    @Test("states can be subscribed to on any thread", .rule("Siesta C4"))
    func anyThread() async {
        let resource = service.resource("/a")
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { @Sendable in
                    let (log, cancellable) = heard(states(of: resource))
                    defer { cancellable.cancel() }
                    return log.all.count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(count >= 20)
        #expect(provider.exchanges.count == 1)
    }

    @Test("the text of a wrong type is right, and names both", .rule("Siesta C7"))
    func mismatchText() {
        let error = RequestError(
            userMessage: "", cause: RequestError.Cause.WrongContentType(expected: Int.self, actual: String.self))
        #expect("\(error.cause.map { "\($0)" } ?? "")" == "A Int was asked for, and there is a String.")
    }

    @Test("content of another type is told where errors are", .rule("Siesta C8"))
    func mismatchIsTold() async {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: "text")
        let completion = Locked<RequestError?>(nil)
        let cancellable = (resource.failingContentPublisher(deliveredOn: .immediate) as AnyPublisher<Int, RequestError>)
            .sink { end in
                if case .failure(let error) = end { completion.withLock { $0 = error } }
            } receiveValue: { _ in
            }
        #expect(completion.withLock { $0?.cause } is RequestError.Cause.WrongContentType)
        _ = cancellable
    }

    @Test("an old error does not end a subscription, which loads again", .rule("Siesta 40"))
    func oldError() async {
        let resource = service.resource("/a")
        let first = resource.load()
        provider.last?.answer("", status: 500)
        _ = await first.response()
        clock.advance(by: .seconds(100))
        let (contents, ends) = (Recorder<String>(), Recorder<Bool>())
        let cancellable =
            (resource.failingContentPublisher(deliveredOn: .immediate) as AnyPublisher<String, RequestError>)
            .sink { _ in
                ends.append(true)
            } receiveValue: {
                contents.append($0)
            }
        #expect(provider.exchanges.count == 2)
        let second = resource.loadRequests.first
        provider.last?.answer("one")
        _ = await second?.response()
        #expect(contents.all == ["one"])
        let third = resource.load()
        provider.last?.answer("", status: 500)
        _ = await third.response()
        #expect(ends.all == [true], "the error of a load that it has seen")
        _ = cancellable
    }

    @Test("content in memory is there within the subscription", .rule("Siesta C9"))
    @MainActor
    func firstFrame() {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: "one")
        var first: String?
        let cancellable = (resource.contentPublisher() as AnyPublisher<String, Never>).sink { first = $0 }
        #expect(first == "one")
        _ = cancellable
    }

    @Test("nothing of the resource before stays, where nil is wanted", .rule("Siesta C10"))
    func switching() {
        let (ann, bob) = (service.resource("/ann"), service.resource("/bob"))
        ann.overrideLocalContent(with: "Ann")
        let subject = CurrentValueSubject<Resource, Never>(ann)
        let (log, cancellable) = heard(
            subject.flatMapLatest {
                $0.optionalContentPublisher(deliveredOn: .immediate) as AnyPublisher<String?, Never>
            })
        subject.send(bob)
        #expect(log.all.first == "Ann")
        #expect(log.all.last == .some(nil))
        _ = cancellable
    }

    @Test("signing in wipes and loads again in the same turn", .rule("Siesta C11"))
    func signIn() throws {
        let resource = service.resource("/user")
        let (log, cancellable) = heard(states(of: resource))
        service.wipeResources()
        let load = try #require(resource.loadIfNeeded())
        #expect(provider.exchanges.map(\.isCancelled) == [true, false])
        #expect(load.state == .inProgress)
        #expect(log.all.last?.isLoading == true)
        _ = cancellable
    }

    @Test("On the main actor by default: what happens elsewhere comes there, in order")
    @MainActor
    func mainDelivery() async {
        let resource = service.resource("/a")
        let log = Recorder<String>()
        let cancellable = (resource.contentPublisher() as AnyPublisher<String, Never>).sink { content in
            MainActor.assertIsolated()
            log.append(content)
        }
        await Task.detached {
            for number in 1...20 { resource.overrideLocalContent(with: "\(number)") }
        }.value
        await log.wait(for: 20)
        #expect(log.all == (1...20).map { "\($0)" })
        _ = cancellable
    }

    @Test("A subscription keeps nothing once it is cancelled")
    func lifetime() {
        weak var gone: Resource?
        do {
            let resource = service.resource("/a")
            gone = resource
            resource.overrideLocalContent(with: "one")
            let (_, cancellable) = heard(states(of: resource))
            cancellable.cancel()
            clock.advance(by: .milliseconds(50))
        }
        #expect(gone == nil)
    }
}

/// Requests one state on subscription, and more only when the test says so.
private final class SlowSubscriber: Subscriber {
    typealias Input = ResourceState<String>
    typealias Failure = Never

    var subscription: (any Subscription)?
    var states: [ResourceState<String>] = []

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.max(1))
    }

    func receive(_ input: ResourceState<String>) -> Subscribers.Demand {
        states.append(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}
}
