import PigeonStore
import Testing

@Suite("LoadingState")
struct LoadingStateTests {
    struct Problem: Error {}

    @Test("calls the closure that fits")
    func action() {
        func name(_ state: LoadingState<Int>) -> String {
            state.doAction(
                onLoading: { "loading \($0.map(String.init) ?? "nothing")" },
                onCompleted: { content, _, _ in "completed \(content)" }, onError: { "error \($0)" })
        }
        #expect(name(.loading(content: nil)) == "loading nothing")
        #expect(name(.loading(content: 1)) == "loading 1")
        let fixed = AdditionalLoadingState.fixed(canRequestAdditionalData: true)
        #expect(name(.completed(content: 2, next: fixed, prev: fixed)) == "completed 2")
        #expect(name(.error(rawError: Problem())) == "error Problem()")
    }
}
