import PigeonStore
import TestSupport
import Testing

@Suite("The newest states of several publishers")
struct CombineStateTests {
    let a = PassthroughSubject<Text, Never>()
    let b = PassthroughSubject<Text, Never>()
    let log = PublisherLog()

    @Test("however many states each sends, the newest are shown together", .rule("StoreFlowable F28"))
    func newest() {
        log.follow(a.combineState(b) { $0 + $1 })
        a.send(nothing)
        a.send(loading("1"))
        a.send(completed("2"))
        #expect(log.take() == [])
        b.send(nothing)
        b.send(completed("x"))
        #expect(log.take() == ["…", "2x"])
        b.send(loading("y"))
        a.send(failed("e"))
        a.send(completed("3"))
        #expect(log.take() == ["2y…", "!e", "3y…"])
    }

    @Test("zipState does not pair by index either, of two to five", .rule("StoreFlowable F28"))
    func zipState() {
        let (c, d, e) = (Just(completed("c")), Just(completed("d")), Just(completed("e")))
        log.follow(a.zipState(b) { $0 + $1 })
        log.follow(a.zipState(b, c) { $0 + $1 + $2 })
        log.follow(a.zipState(b, c, d) { $0 + $1 + $2 + $3 })
        log.follow(a.zipState(b, c, d, e) { $0 + $1 + $2 + $3 + $4 })
        a.send(completed("0"))
        a.send(completed("1"))
        b.send(completed("x"))
        #expect(log.take().sorted() == ["1x", "1xc", "1xcd", "1xcde"])
        a.send(loading("2"))
        #expect(Set(log.take()) == ["2x…", "2xc…", "2xcd…", "2xcde…"])
    }

    @Test("Each of five publishers has its place", .rule("C5"), arguments: 0..<5)
    func places(_ place: Int) {
        let all = (0..<5).map { CurrentValueSubject<Text, Never>(completed("\($0)")) }
        log.follow(all[0].combineState(all[1]) { $0 + $1 })
        log.follow(all[0].combineState(all[1], all[2]) { $0 + $1 + $2 })
        log.follow(all[0].combineState(all[1], all[2], all[3]) { $0 + $1 + $2 + $3 })
        log.follow(all[0].combineState(all[1], all[2], all[3], all[4]) { $0 + $1 + $2 + $3 + $4 })
        #expect(log.take() == ["01", "012", "0123", "01234"])
        all[place].send(loading("n"))
        let changed = ["01", "012", "0123", "01234"].filter { $0.count > place }
            .map { $0.replacing("\(place)", with: "n") + "…" }
        #expect(log.take().sorted() == changed.sorted())
    }

    @Test("It ends when all have ended, with the last states of those that ended before")
    func ends() {
        log.follow(a.combineState(b) { $0 + $1 })
        a.send(completed("1"))
        a.send(completion: .finished)
        b.send(completed("x"))
        b.send(completed("y"))
        #expect(log.take() == ["1x", "1y"])
        b.send(completion: .finished)
        #expect(log.take() == ["finished"])
    }

    @Test("It ends, and leaves the others, when one ends without a state")
    func endsSilently() {
        log.follow(a.watched(by: log, "a").combineState(b) { $0 + $1 })
        _ = log.take()
        a.send(completed("1"))
        b.send(completion: .finished)
        #expect(log.take() == ["a cancelled", "finished"])
        log.follow(Empty<Text, Never>().combineState(a.watched(by: log, "a")) { $0 + $1 })
        #expect(log.take() == ["finished"])
    }

    @Test("It fails as soon as one fails, and leaves the others")
    func fails() {
        let (a, b) = (PassthroughSubject<Text, Broken>(), PassthroughSubject<Text, Broken>())
        log.follow(a.watched(by: log, "a").combineState(b.watched(by: log, "b")) { $0 + $1 })
        _ = log.take()
        a.send(completed("1"))
        b.send(completion: .failure(Broken("f")))
        a.send(completed("2"))
        #expect(log.take() == ["a cancelled", "failed f"])
    }

    @Test("Nothing is subscribed to before somebody subscribes; each subscriber has all for himself")
    func cold() {
        let combined = a.watched(by: log, "a").combineState(b.watched(by: log, "b")) { $0 + $1 }
        #expect(log.take() == [])
        log.follow(combined)
        #expect(log.take() == ["a subscribed", "a asked", "b subscribed", "b asked"])
        a.send(completed("1"))
        b.send(completed("x"))
        #expect(log.take() == ["1x"])
        log.follow(combined)
        #expect(log.take() == ["a subscribed", "a asked", "b subscribed", "b asked"])
        b.send(completed("y"))
        #expect(log.take() == ["1y"])
    }

    @Test("mapContent makes a Map, and calls nothing before there is content")
    func mapContent() {
        let mapped: Publishers.Map<PassthroughSubject<Text, Never>, LoadingState<Int>> = a.mapContent { $0.count }
        log.follow(mapped)
        for state in [nothing, loading("ab"), completed("abc", next: more), failed("x")] { a.send(state) }
        #expect(log.take() == ["…", "2…", "3 more end", "!x"])
    }

    @Test("A store's publisher is one of states that never fails")
    func publisher() {
        let publisher: LoadingStatePublisher<String> = Just(completed("a")).eraseToAnyPublisher()
        let both: LoadingStatePublisher<Int> = publisher.combineState(publisher.mapContent { $0.count }) {
            $0.count + $1
        }
        log.follow(both)
        #expect(log.take() == ["2", "finished"])
    }
}
