import PigeonStore
import Testing

@Suite("What combined publishers hold, and for how long")
struct CombineStateLifetimeTests {
    private final class Owner {
        func touch() {}
    }

    let a = CurrentValueSubject<Text, Never>(completed("1"))
    let b = CurrentValueSubject<Text, Never>(completed("x"))

    /// Creates a subscription whose transform and sink retain the owner.
    private func follow(_ owner: Owner) -> AnyCancellable {
        a.combineState(b) { one, two in
            owner.touch()
            return one + two
        }.sink { _ in owner.touch() }
    }

    @Test("A cancelled subscription holds nothing, and its inputs hold nothing of it")
    func cancelled() throws {
        var owner: Owner? = Owner()
        weak let watched = owner
        var subscription: AnyCancellable? = try follow(#require(owner))
        owner = nil
        #expect(watched != nil)
        subscription?.cancel()
        subscription = nil
        #expect(watched == nil)
    }

    @Test("An ended subscription is held by no input, and holds none")
    func ended() throws {
        var owner: Owner? = Owner()
        weak let watched = owner
        var subscription: AnyCancellable? = try follow(#require(owner))
        owner = nil
        a.send(completion: .finished)
        b.send(completion: .finished)
        #expect(watched != nil || subscription != nil)
        subscription = nil
        #expect(watched == nil)
    }

    @Test("Content is let go when a newer one comes, and all of it at the end")
    func content() {
        let contents = PassthroughSubject<LoadingState<Owner>, Never>()
        let subscription = contents.combineState(a) { _, text in text }.sink { _ in }
        var first: Owner? = Owner()
        weak let watchedFirst = first
        first.map { contents.send(.loading(content: $0)) }
        first = nil
        #expect(watchedFirst != nil)
        var second: Owner? = Owner()
        weak let watchedSecond = second
        second.map { contents.send(.loading(content: $0)) }
        second = nil
        #expect(watchedFirst == nil)
        #expect(watchedSecond != nil)
        contents.send(completion: .finished)
        a.send(completion: .finished)
        #expect(watchedSecond == nil)
        subscription.cancel()
    }
}
