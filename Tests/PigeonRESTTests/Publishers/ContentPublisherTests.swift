import PigeonREST
import TestSupport
import Testing

@Suite("Content of publishers of states")
struct ContentPublisherTests {
    private let error = RequestError(userMessage: "Server error", cause: Mishap())
    private let states = ScriptedPublisher<ResourceState<Int>, Never>()

    @Test("content comes with every state that has some, and nothing while there is none", .rule("Siesta 42"))
    func content() {
        let subscriber = ScriptedSubscriber<Int, Never>()
        states.content().subscribe(subscriber)
        states.send(.fakeLoading())
        states.send(.fake(1))
        states.send(.fakeFailure(error, content: 1))
        states.send(.fakeFailure(error))
        states.send(.fake(2))
        #expect(subscriber.values == [1, 1, 2])
        states.end(.finished)
        #expect(subscriber.ends == [.finished])
    }

    @Test("optional content comes with every state", .rule("Siesta 42"))
    func optionalContent() {
        let subscriber = ScriptedSubscriber<Int?, Never>()
        states.optionalContent().subscribe(subscriber)
        states.send(.fakeLoading())
        states.send(.fake(1))
        states.send(.fakeFailure(error))
        #expect(subscriber.values == [nil, 1, nil])
    }

    @Test("nothing of one resource stays on screen when the next begins without content", .rule("Siesta C10"))
    func newResource() {
        let resources = ScriptedPublisher<Int, Never>()
        let each = (0..<2).map { _ in ScriptedPublisher<ResourceState<String>, Never>() }
        let subscriber = ScriptedSubscriber<String?, Never>()
        resources.flatMapLatest { each[$0].optionalContent() }.subscribe(subscriber)
        resources.send(0)
        each[0].send(.fake("old user"))
        resources.send(1)
        each[1].send(.fakeLoading())
        #expect(subscriber.values == ["old user", nil])
        each[0].send(.fake("old user again"))
        each[1].send(.fakeFailure(error))
        #expect(subscriber.values == ["old user", nil, nil])
    }

    @Test("Failing content ends with a state's error, and cancels the states")
    func failingContent() {
        let subscriber = ScriptedSubscriber<Int, RequestError>()
        states.failingContent().subscribe(subscriber)
        states.send(.fakeLoading())
        states.send(.fake(1))
        #expect(subscriber.ends.isEmpty)
        states.send(.fakeFailure(error, content: 1))
        #expect(subscriber.values == [1])
        #expect(subscriber.failure?.userMessage == "Server error")
        #expect(states.isCancelled)
    }

    @Test("Failing content does not end with an error that a load under way may put right")
    func failingContentWhileLoading() {
        let subscriber = ScriptedSubscriber<Int, RequestError>()
        states.failingContent().subscribe(subscriber)
        states.send(
            ResourceState(
                content: 1, latestError: error, isLoading: true, isRequesting: true, latestEvent: .requested))
        #expect(subscriber.values == [1])
        #expect(subscriber.ends.isEmpty)
    }
}

extension ScriptedSubscriber {
    /// The error of the completion. `nil` if there is none.
    var failure: Failure? {
        if case .failure(let error) = ends.first { error } else { nil }
    }
}
