import PigeonStore
import Testing

// Operators of publishers: `mapContent` and `zipState` of 2.0 to 3.1, `combineState` of 3.2.

@Suite("Coming from StoreFlowable 2 and 3: operators of publishers")
struct CombiningTests {
    let a: LoadingStatePublisher<Int> = Just(.done(1)).eraseToAnyPublisher()
    let b: LoadingStatePublisher<String> = Just(.done("b")).eraseToAnyPublisher()
    let c: LoadingStatePublisher<Double> = Just(.done(2.5)).eraseToAnyPublisher()
    let d = PassthroughSubject<LoadingState<Bool>, Never>()
    let e: LoadingStatePublisher<[Int]> = Just(.done([])).eraseToAnyPublisher()

    /// The texts that a publisher sends while `act` runs.
    func texts<P: Publisher, Z>(_ publisher: P, while act: () -> Void = {}) -> [String]
    where P.Output == LoadingState<Z>, P.Failure == Never {
        var texts: [String] = []
        let subscription = publisher.sink { texts.append($0.text) }
        act()
        subscription.cancel()
        return texts
    }

    @Test("mapContent gives other content, in all states that have some")
    func mapContent() {
        let states: [LoadingState<Int>] = [
            .loading(content: nil), .loading(content: 1), .done(2), .error(rawError: OfflineError()),
        ]
        let mapped: Publishers.Map<AnyPublisher<LoadingState<Int>, Never>, LoadingState<String>> =
            Publishers.Sequence(sequence: states).eraseToAnyPublisher().mapContent { "<\($0)>" }
        #expect(texts(mapped) == ["loading", "loading <1>", "<2> end end", "error OfflineError"])
        let longWay = a.mapContent { (content: Int) -> Int in
            let double = content * 2
            return double + 1
        }
        #expect(texts(longWay) == ["3 end end"])
    }

    // guide: 2.0 to 3.1: `zipState`
    @Test("zipState makes one state of two, three, four and five")
    func zipState() {
        let two: LoadingStatePublisher<String> = a.zipState(b) { content1, content2 in "\(content1)\(content2)" }
        #expect(texts(two) == ["1b end end"])
        #expect(texts(a.zipState(b, c) { "\($0)\($1)\($2)" }) == ["1b2.5 end end"])
        let four = a.zipState(b, c, d) { "\($0)\($1)\($2)\($3)" }
        #expect(
            texts(four) {
                d.send(.loading(content: nil))
                d.send(.done(true))
            } == ["loading", "1b2.5true end end"])
        #expect(
            texts(a.zipState(b, c, d, e) { "\($0)\($1)\($2)\($3)\($4)" }) {
                d.send(.error(rawError: OfflineError()))
                d.send(.done(false))
            } == ["error OfflineError", "1b2.5false[] end end"])
    }

    @Test("combineState makes one state of two, three, four and five")
    func combineState() {
        let two: LoadingStatePublisher<String> = a.combineState(b) { content1, content2 in "\(content1)\(content2)" }
        #expect(texts(two) == ["1b end end"])
        #expect(texts(a.combineState(b, c) { "\($0)\($1)\($2)" }) == ["1b2.5 end end"])
        let four = a.combineState(b, c, d) { rawContent1, rawContent2, rawContent3, rawContent4 in
            "\(rawContent1)\(rawContent2)\(rawContent3)\(rawContent4)"
        }
        #expect(texts(four) { d.send(.done(true)) } == ["1b2.5true end end"])
        #expect(
            texts(a.combineState(b, c, d, e) { "\($0)\($1)\($2)\($3)\($4)" }) {
                d.send(.loading(content: true))
                d.send(.done(true))
            } == ["loading 1b2.5true[]", "1b2.5true[] end end"])
    }

    @Test("Publishers that can fail are combined too, and keep their failure")
    func failing() {
        let subject = PassthroughSubject<LoadingState<Int>, OfflineError>()
        let both: AnyPublisher<LoadingState<Int>, OfflineError> = subject.combineState(subject) { $0 + $1 }
        let zipped: AnyPublisher<LoadingState<Int>, OfflineError> = subject.zipState(subject) { $0 - $1 }
        var log: [String] = []
        var subscriptions = Set<AnyCancellable>()
        for publisher in [both, zipped] {
            publisher.sink {
                log.append("\($0)")
            } receiveValue: {
                log.append($0.text)
            }.store(in: &subscriptions)
        }
        subject.send(.done(2))
        #expect(log.contains("4 end end"))
        #expect(log.contains("0 end end"))
        subject.send(completion: .failure(OfflineError()))
        #expect(log.filter { $0.contains("OfflineError") }.count == 2)
    }

    @Test("Stores are combined as they were")
    func stores() async {
        let user = Version2.UserFactory(userId: 30).create()
        let manager = Version2.NamedManager(name: "combined")
        let list = Version2.ListFactory(key: "c", flowableDataStateManager: manager).create()
        let both = user.publish().combineState(list.publish()) { user, list in "\(user.name) \(list)" }
        #expect(await settled(both)?.text == "ann [1] more end")
    }
}
