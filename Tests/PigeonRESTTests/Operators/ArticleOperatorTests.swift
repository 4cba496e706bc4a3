import PigeonREST
import TestSupport
import Testing

@Suite("The operators that controllers are made of")
struct ArticleOperatorTests {
    @Test("All of them are there with one import, and follow a search and a log-in")
    func search() {
        let heard = Recorder<String>()
        let search = PassthroughSubject<String?, Never>()
        let isAuthenticated = CurrentValueSubject<Bool, Never>(false)
        let text =
            search
            .compactMap { $0 }
            .debounce(for: .zero, scheduler: ImmediateScheduler.shared)
            .removeDuplicates()
            .share()
        let lookedUp = text.combineLatest(isAuthenticated)
            .map { text, isAuthenticated in Just("\(text) \(isAuthenticated)") }
            .switchToLatest()
            .prepend("first")
            .sink { heard.append($0) }
        search.send("a")
        search.send(nil)
        search.send("a")
        search.send("b")
        isAuthenticated.send(true)
        #expect(heard.all == ["first", "a false", "b false", "b true"])
        lookedUp.cancel()
        search.send("c")
        #expect(heard.all.count == 4)
    }
}
