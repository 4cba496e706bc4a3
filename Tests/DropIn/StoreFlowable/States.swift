import Foundation
import PigeonStore
import Testing

// The types that versions 2, 3 and 4 share.

/// An old program's own helpers. The library has members of some of these names now; the program's own come first.
extension LoadingState {
    var isLoading: Bool {
        if case .loading = self { return true }
        return false
    }

    var content: T? {
        switch self {
        case .loading(let content): return content
        case .completed(let content, _, _): return content
        case .error: return nil
        }
    }
}

extension AdditionalLoadingState {
    var canRequestAdditionalData: Bool {
        doAction(onFixed: { $0 }, onLoading: { true }, onError: { _ in true })
    }
}

@Suite("Coming from StoreFlowable: states")
struct StateTests {
    let fixed = AdditionalLoadingState.fixed(canRequestAdditionalData: true)

    @Test("LoadingState has its three cases, with the labels of before")
    func cases() {
        let states: [LoadingState<Int>] = [
            LoadingState.loading(content: nil), .loading(content: 1),
            .completed(content: 2, next: fixed, prev: .loading), .error(rawError: OfflineError()),
        ]
        let texts = states.map { state -> String in
            switch state {
            case .loading(let content): return "loading \(content ?? 0)"
            case .completed(let content, let next, let prev): return "\(content) \(next.text) \(prev.text)"
            case .error(let rawError): return "\(type(of: rawError))"
            }
        }
        #expect(texts == ["loading 0", "loading 1", "2 more loading", "OfflineError"])
    }

    @Test("LoadingState.doAction calls the closure of the case, and returns what it returns")
    func doAction() {
        func words(_ state: LoadingState<Int>) -> String {
            state.doAction(
                onLoading: { (content: Int?) in "loading \(content ?? 0)" },
                onCompleted: { (content: Int, next, prev) in "\(content) \(next.text) \(prev.text)" },
                onError: { (rawError: Error) in "\(type(of: rawError))" }
            )
        }
        #expect(words(.loading(content: 3)) == "loading 3")
        #expect(words(.completed(content: 2, next: .loading, prev: fixed)) == "2 loading more")
        #expect(words(.error(rawError: OfflineError())) == "OfflineError")
        var shown = ""
        LoadingState.loading(content: 4).doAction {
            shown = "\($0 ?? 0)"
        } onCompleted: { _, _, _ in
        } onError: { _ in
        }
        #expect(shown == "4")
    }

    @Test("AdditionalLoadingState has its three cases, and its doAction")
    func additional() {
        func words(_ state: AdditionalLoadingState) -> String {
            state.doAction(
                onFixed: { (canRequestAdditionalData: Bool) in canRequestAdditionalData ? "more" : "end" },
                onLoading: { "loading" },
                onError: { (rawError: Error) in "\(type(of: rawError))" }
            )
        }
        #expect(words(.fixed(canRequestAdditionalData: true)) == "more")
        #expect(words(.fixed(canRequestAdditionalData: false)) == "end")
        #expect(words(AdditionalLoadingState.loading) == "loading")
        #expect(words(.error(rawError: OfflineError())) == "OfflineError")
        if case .fixed(let canRequestAdditionalData) = fixed { #expect(canRequestAdditionalData) }
    }

    @Test("zip makes one state of two")
    func zipTwo() {
        let one = LoadingState.done(1)
        #expect(one.zip(.done(2)) { rawContent1, rawContent2 in rawContent1 + rawContent2 }.text == "3 end end")
        #expect(one.zip(.loading(content: 2)) { $0 + $1 }.text == "loading 3")
        #expect(one.zip(LoadingState<Int>.loading(content: nil)) { $0 + $1 }.text == "loading")
        #expect(one.zip(LoadingState<Int>.error(rawError: OfflineError())) { $0 + $1 }.text == "error OfflineError")
    }

    @Test("zip makes one state of three, four and five")
    func zipMore() {
        let one = LoadingState.done(1)
        let b = LoadingState.done("b")
        let c = LoadingState.done(2.5)
        let d = LoadingState.completed(content: true, next: fixed, prev: .loading)
        #expect(one.zip(b, c) { "\($0) \($1) \($2)" }.text == "1 b 2.5 end end")
        #expect(one.zip(b, c, d) { "\($0) \($1) \($2) \($3)" }.text == "1 b 2.5 true more loading")
        #expect(one.zip(b, c, d, one) { "\($0) \($1) \($2) \($3) \($4)" }.text == "1 b 2.5 true 1 more loading")
        #expect(one.zip(b, c, d, LoadingState<Int>.loading(content: nil)) { _, _, _, _, _ in 0 }.text == "loading")
    }

    @Test("zip of additional states: an error before loading, loading before the rest, more if either has more")
    func zipAdditional() {
        let end = AdditionalLoadingState.fixed(canRequestAdditionalData: false)
        let error = AdditionalLoadingState.error(rawError: OfflineError())
        #expect(end.zip(fixed).text == "more")
        #expect(end.zip(end).text == "end")
        #expect(end.zip(.loading).text == "loading")
        #expect(AdditionalLoadingState.loading.zip(error).text == "error OfflineError")
        #expect(error.zip(.error(rawError: NoSuchElementError())).text == "error OfflineError")
    }

    @Test("GettingFrom has its three cases")
    func gettingFrom() {
        let places: [GettingFrom] = [.both, .origin, .cache]
        let names = places.map { place -> String in
            switch place {
            case .both: return "both"
            case .origin: return "origin"
            case .cache: return "cache"
            }
        }
        #expect(names == ["both", "origin", "cache"])
        #expect(GettingFrom.both == .both)
    }

    @Test("UnitHash is one value")
    func unitHash() {
        #expect(UnitHash() == UnitHash())
        #expect(UnitHash().hashValue == UnitHash().hashValue)
        #expect([UnitHash(): 1][UnitHash()] == 1)
    }

    @Test("The three errors are told by their types")
    func errors() {
        func words(_ error: Error) -> String {
            do {
                throw error
            } catch is NoSuchElementError {
                return "nothing"
            } catch let error as AdditionalRequestOnNilException {
                return "\(type(of: error))"
            } catch _ as AdditionalRequestOnErrorStateException {
                return "on error"
            } catch {
                return "other"
            }
        }
        // Programs could not make these errors; here they can, which a fake is glad of.
        #expect(words(NoSuchElementError()) == "nothing")
        #expect(words(AdditionalRequestOnNilException()) == "AdditionalRequestOnNilException")
        #expect(words(AdditionalRequestOnErrorStateException()) == "on error")
        #expect(words(OfflineError()) == "other")
        #expect((OfflineError() as Error as? NoSuchElementError) == nil)
    }

    @Test("A program's own helpers of names that the library has as well come first")
    func ownHelpers() {
        #expect(LoadingState<Int>.loading(content: 1).isLoading)
        #expect(LoadingState.done(1).content == 1)
        // The library's member of this name is false here.
        #expect(AdditionalLoadingState.loading.canRequestAdditionalData)
    }

    @Test("A state is printed with its content; of an error, the type")
    func printing() {
        // guide: `print(state)` shows the content
        #expect("\(LoadingState.loading(content: 1))".contains("1"))
        #expect("\(LoadingState.done("x"))".contains("x"))
        #expect("\(LoadingState<Int>.error(rawError: OfflineError()))".contains("OfflineError"))
    }
}
