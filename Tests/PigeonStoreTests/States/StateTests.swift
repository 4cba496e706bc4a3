import PigeonStore
import TestSupport
import Testing

@Suite("What a state says of itself")
struct StateTests {
    struct Secret: Error, CustomStringConvertible {
        var description: String { "password" }
    }

    @Test(
        "A state has content, is loading, or has an error",
        arguments: [
            (nothing, nil, true, nil), (loading("a"), "a", true, nil), (completed("a"), "a", false, nil),
            (completed("a", next: page, prev: failedPage("x")), "a", false, nil), (failed("x"), nil, false, "x"),
        ] as [(Text, String?, Bool, String?)])
    func facts(_ state: Text, _ content: String?, _ isLoading: Bool, _ error: String?) {
        #expect(state.content == content)
        #expect(state.isLoading == isLoading)
        #expect((state.error as? Broken)?.name == error)
    }

    @Test(
        "A state of pages can go on, is loading, or has an error",
        arguments: [
            (more, true, false, nil), (noMore, false, false, nil), (page, false, true, nil),
            (failedPage("x"), false, false, "x"),
        ] as [(AdditionalLoadingState, Bool, Bool, String?)])
    func pageFacts(_ state: AdditionalLoadingState, _ canRequest: Bool, _ isLoading: Bool, _ error: String?) {
        #expect(state.canRequestAdditionalData == canRequest)
        #expect(state.isLoading == isLoading)
        #expect((state.error as? Broken)?.name == error)
    }

    @Test(
        "A description shows the content, and an error without what it holds", .rule("U19"),
        arguments: [
            (nothing, "loading(content: nil)"), (loading("a"), #"loading(content: Optional("a"))"#),
            (
                completed("a", next: more),
                #"completed(content: "a", next: fixed(canRequestAdditionalData: true), "#
                    + "prev: fixed(canRequestAdditionalData: false))"
            ),
            (
                completed("a", next: page, prev: .error(rawError: Secret())),
                #"completed(content: "a", next: loading, prev: error(rawError: Secret))"#
            ),
            (.error(rawError: Secret()), "error(rawError: Secret)"),
            (.error(rawError: CancellationError()), "error(rawError: cancelled)"),
        ] as [(Text, String)])
    func descriptions(_ state: Text, _ description: String) {
        #expect("\(state)" == description)
        #expect(String(reflecting: state) == description)
        #expect("\([state])" == "[\(description)]")
    }

    @Test("A loading state whose cached content is nil is not one with nothing cached")
    func optionalContent() {
        #expect("\(LoadingState<String?>.loading(content: .some(nil)))" == "loading(content: Optional(nil))")
        #expect("\(LoadingState<String?>.loading(content: nil))" == "loading(content: nil)")
    }

    @Test(
        "A state without data is told from one that loads, one with data, and one that failed", .rule("U16"),
        arguments: [
            (nothing, false, "loading"), (loading("a"), false, "loading"), (completed(""), false, "completed"),
            (failed("x"), false, "failed"), (.error(rawError: NoSuchElementError()), true, "no data"),
            (.error(rawError: AdditionalRequestOnNilException()), false, "failed"),
        ] as [(Text, Bool, String)])
    func noData(_ state: Text, _ hasNoData: Bool, _ name: String) {
        #expect(state.hasNoData == hasNoData)
        #expect(state.mapContent { $0.count }.hasNoData == hasNoData)
        let called = state.doAction(
            onLoading: { _ in "loading" }, onCompleted: { _, _, _ in "completed" }, onError: { _ in "failed" },
            onNoData: { "no data" })
        #expect(called == name)
        let calledWithout = state.doAction(
            onLoading: { _ in "loading" }, onCompleted: { _, _, _ in "completed" }, onError: { _ in "failed" })
        #expect(calledWithout == (hasNoData ? "failed" : name))
    }

    @Test("Errors say what happened and what to do, and are equal to their like")
    func errors() {
        let errors: [any Error] = [
            NoSuchElementError(), AdditionalRequestOnErrorStateException(), AdditionalRequestOnNilException(),
        ]
        let advice = errors.map { "\($0)".split(separator: ": ").last.map(String.init) }
        #expect(
            advice == [
                "require data from .both or .origin, or use getData, which returns nil", "refresh first",
                "publish or refresh first",
            ])
        #expect(NoSuchElementError() == NoSuchElementError())
    }

    @Test("Keys of stores that need none are one key")
    func unitHash() {
        #expect(Set([UnitHash(), UnitHash()]).count == 1)
        #expect(Set([GettingFrom.both, .origin, .cache]).count == 3)
    }
}
