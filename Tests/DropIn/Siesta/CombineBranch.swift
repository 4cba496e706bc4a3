import Foundation
import PigeonREST
import Testing

#if canImport(Combine)
    import Combine
#endif

@MainActor
@Suite("Siesta: the Combine branch")
struct CombineBranchTests {
    let network = StubNetwork([
        "GET /users/ann": .json(#"{"name": "Ann"}"#), "GET /motd": .text("Hello"), "PUT /motd": .text("", status: 204),
        "POST /motd": .text("posted"), "DELETE /motd": .text("no", status: 403),
    ])
    let service: Service
    let user: Resource
    let message: Resource

    init() {
        service = Service(baseURL: "https://example.com", standardTransformers: [.text], networking: network)
        service.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
        user = service.resource("/users/ann")
        message = service.resource("/motd")
    }

    /// The values of a publisher, until one is as it is expected to be.
    private func values<P: Publisher>(
        of publisher: P, until isLast: @escaping (P.Output) -> Bool
    ) async -> [P.Output] where P.Failure == Never {
        var values: [P.Output] = []
        var subscription: AnyCancellable?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            var isOver = false
            subscription = publisher.sink { value in
                guard !isOver else { return }
                values.append(value)
                guard isLast(value) else { return }
                isOver = true
                continuation.resume()
            }
        }
        subscription?.cancel()
        return values
    }

    /// What a publisher of a request sends, and how it ends.
    private func outcome<T>(of publisher: AnyPublisher<T, RequestError>) async -> ([T], RequestError?) {
        var values: [T] = []
        var failure: RequestError?
        var subscription: AnyCancellable?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            subscription = publisher.sink(
                receiveCompletion: { completion in
                    if case .failure(let error) = completion { failure = error }
                    continuation.resume()
                },
                receiveValue: { values.append($0) })
        }
        subscription?.cancel()
        return (values, failure)
    }

    @Test("statePublisher() loads, and sends a state for each event")
    func states() async {
        let publisher: AnyPublisher<ResourceState<User>, Never> = user.statePublisher()
        let states = await values(of: publisher) { $0.content != nil }
        #expect(states.map(\.latestEvent) == [.observerAdded, .requested, .newData(.network)])
        #expect(states.map(\.isLoading) == [false, true, false])
        #expect(states.map(\.isRequesting).last == false)
        #expect(states.last?.content == User(name: "Ann"))
        #expect(states.last?.latestError == nil)
    }

    @Test("contentPublisher() and optionalContentPublisher()")
    func contents() async {
        let contents: AnyPublisher<User, Never> = user.contentPublisher()
        #expect(await values(of: contents) { _ in true } == [User(name: "Ann")])
        // guide: C10
        let optional: AnyPublisher<String?, Never> = message.optionalContentPublisher()
        #expect(await values(of: optional) { $0 != nil } == [nil, nil, "Hello"])
    }

    @Test("content() and optionalContent() of a publisher of states")
    func operators() async {
        // guide: `content()`, `optionalContent()` of `AnyPublisher`
        let states: AnyPublisher<ResourceState<User>, Never> = user.statePublisher()
        #expect(await values(of: states.content()) { _ in true } == [User(name: "Ann")])
        let last = await values(of: states.optionalContent()) { $0 != nil }.last
        #expect(last == User(name: "Ann"))
    }

    @Test("content of another type is an error of the state")
    func wrongType() async {
        await end(of: message.load())
        let publisher: AnyPublisher<ResourceState<User>, Never> = message.statePublisher()
        let states = await values(of: publisher) { _ in true }
        #expect(states[0].content == nil)
        #expect(states[0].latestError?.cause is RequestError.Cause.WrongContentType)
        // guide: `WrongContentType()`
        let cause = RequestError.Cause.WrongContentType(expected: User.self, actual: String.self)
        #expect(cause.expected is User.Type)
    }

    @Test("ResourceState as a value, and its map")
    func stateValue() {
        let error = RequestError(userMessage: "no", cause: Refusal())
        let state = ResourceState(
            content: 7, latestError: error, isLoading: true, isRequesting: false, latestEvent: .error)
        let text = state.map { "\($0)" }
        #expect(text.content == "7")
        #expect(text.latestError?.userMessage == "no")
        #expect(text.isLoading && !text.isRequesting)
        #expect(text.latestEvent == .error)
        let named: ResourceState<Int> = text.map(transform: { $0.count })
        #expect(named.content == 1)
    }

    @Test("requestPublisher(createRequest:): asks when it is subscribed to, each time")
    func coldRequests() async {
        let publisher = message.requestPublisher { $0.request(.put) }
        let named = message.requestPublisher(createRequest: { $0.request(.delete) })
        #expect(network.requests.isEmpty)
        let (values, failure): ([Void], RequestError?) = await outcome(of: publisher)
        #expect(values.count == 1)
        #expect(failure == nil)
        _ = await outcome(of: publisher)
        #expect(network.requests.count == 2)
        #expect(await outcome(of: named).1?.httpStatusCode == 403)
    }

    @Test("dataRequestPublisher(createRequest:)")
    func coldData() async {
        let texts: AnyPublisher<String, RequestError> = message.dataRequestPublisher { $0.request(.post, text: "a") }
        let (values, failure) = await outcome(of: texts)
        #expect(values == ["posted"])
        #expect(failure == nil)
        let users: AnyPublisher<User, RequestError> = message.dataRequestPublisher { $0.request(.post) }
        #expect(await outcome(of: users).1?.cause is RequestError.Cause.WrongContentType)
    }

    @Test("publisher() and dataPublisher() of a request, which is under way")
    func hotRequests() async {
        let (values, failure): ([Void], RequestError?) = await outcome(of: message.request(.post).publisher())
        #expect(values.count == 1)
        #expect(failure == nil)
        let texts: AnyPublisher<String, RequestError> = message.request(.post).dataPublisher()
        #expect(await outcome(of: texts).0 == ["posted"])
        let refused: AnyPublisher<String, RequestError> = message.request(.delete).dataPublisher()
        #expect(await outcome(of: refused).1?.httpStatusCode == 403)
    }

    @Test("reloadAllResourcesIfNeeded() loads what is observed")
    func reloading() async {
        let observer = Recorder()
        message.addObserver(observer)
        service.reloadAllResourcesIfNeeded()
        await observer.saw(.newData(.network))
        #expect(message.text == "Hello")
    }

    @Test("the article's pipeline: watchedBy, flatMapLatest, contents of the newest resource")
    func article() async {
        // guide: `watchedBy(statusOverlay:)`, of the example
        let overlay = StatusOverlay()  // guide: `ResourceStatusOverlay`, a view; its `StateRule`
        let repositories = CurrentValueSubject<Resource?, Never>(user)
        let names =
            repositories
            .watchedBy(statusOverlay: overlay)
            .flatMapLatest { resource -> AnyPublisher<User, Never> in
                resource?.contentPublisher() ?? Just(User(name: "nobody")).eraseToAnyPublisher()
            }
            .eraseToAnyPublisher()
        #expect(await values(of: names) { _ in true } == [User(name: "Ann")])
        repositories.send(nil)
        #expect(await values(of: names) { _ in true } == [User(name: "nobody")])
    }

    @Test("the example's stream of taps: withLatestFrom, and the request that it starts")
    func taps() async {
        let taps = PassthroughSubject<Void, Never>()
        let starred = CurrentValueSubject<Bool, Never>(false)
        let message = self.message
        let requests = taps.withLatestFrom(starred).flatMapLatest { isStarred -> AnyPublisher<Bool, Never> in
            message.request(isStarred ? .delete : .put).publisher()
                .map { !isStarred }
                .catch { _ in Just(isStarred) }
                .eraseToAnyPublisher()
        }
        var results: [Bool] = []
        var subscriptions = Set<AnyCancellable>()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            requests
                .sink {
                    results.append($0)
                    continuation.resume()
                }
                .store(in: &subscriptions)
            taps.send()
        }
        #expect(results == [true])
    }
}
