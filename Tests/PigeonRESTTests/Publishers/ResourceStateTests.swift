import PigeonREST
import TestSupport
import Testing

@Suite("States of resources")
struct ResourceStateTests {
    private struct OtherMishap: Error {}

    private let error = RequestError(userMessage: "Server error", cause: Mishap())

    private func state(
        _ content: Int? = 1, _ error: RequestError? = nil, isLoading: Bool = false, isRequesting: Bool = false,
        event: ResourceEvent = .newData(.network), timestamp: Double? = 5, isUpToDate: Bool = true
    ) -> ResourceState<Int> {
        ResourceState(
            content: content, latestError: error, isLoading: isLoading, isRequesting: isRequesting,
            latestEvent: event, timestamp: timestamp, isUpToDate: isUpToDate)
    }

    @Test("map changes the content, and keeps all else")
    func map() {
        let mapped = state(1, error, isLoading: true, isRequesting: true, event: .error).map { "\($0)" }
        let expected = ResourceState(
            content: "1", latestError: error, isLoading: true, isRequesting: true, latestEvent: .error, timestamp: 5,
            isUpToDate: true)
        #expect(mapped == expected)
    }

    @Test("Nothing is transformed where there is no content")
    func mapNothing() {
        let transform: (Int) -> Int = { _ in
            Issue.record("transformed")
            return 0
        }
        #expect(state(nil).map(transform: transform).content == nil)
        #expect(state(nil).tryMap(transform: transform) == state(nil))
    }

    @Test("a transform that fails adds its error, and takes the content", .rule("Siesta C13"))
    func tryMap() {
        let failed = state(isLoading: true).tryMap { _ -> String in throw Mishap(name: "no") }
        #expect(failed.content == nil)
        #expect(failed.latestError?.cause as? Mishap == Mishap(name: "no"))
        #expect(failed.isLoading)
        #expect(failed.timestamp == 5)
        #expect(state().tryMap { $0 + 1 } == state(2))
    }

    @Test("an error of a request that a transform throws is kept as it is", .rule("Siesta C13"))
    func tryMapRequestError() {
        let failed = state().tryMap { [error] _ -> String in throw error }
        #expect(failed.latestError?.userMessage == "Server error")
        #expect(failed.latestError?.cause is Mishap)
    }

    @Test("the resource's own error goes before that of a transform", .rule("Siesta C13"))
    func ownErrorFirst() {
        let failed = state(1, error).tryMap { _ -> Int in throw OtherMishap() }
        #expect(failed.content == nil)
        #expect(failed.latestError?.userMessage == "Server error")
    }

    @Test(
        "states are equal when all they say is", .rule("Siesta C13"),
        arguments: [
            ResourceState(content: 2, latestError: nil, isLoading: false, isRequesting: false, latestEvent: .error),
            .fakeLoading(1), .fakeLoading(), .fake(1),
        ])
    func unequal(other: ResourceState<Int>) {
        #expect(other == other)
        #expect(other != state())
    }

    @Test("each field tells states apart", .rule("Siesta C13"))
    func fields() {
        let all = [
            state(), state(2), state(1, error), state(isLoading: true), state(isRequesting: true),
            state(event: .notModified), state(timestamp: 6), state(isUpToDate: false),
        ]
        for (i, a) in all.enumerated() {
            for (j, b) in all.enumerated() { #expect((a == b) == (i == j)) }
        }
    }

    @Test("errors count as equal with the same message, status code and type of cause", .rule("Siesta C13"))
    func errors() {
        let base = state(1, error)
        #expect(base == state(1, RequestError(userMessage: "Server error", cause: Mishap(name: "another"))))
        #expect(base != state(1, RequestError(userMessage: "Other", cause: Mishap())))
        #expect(base != state(1, RequestError(userMessage: "Server error", cause: OtherMishap())))
        #expect(base != state(1))
    }

    @Test("Fakes look like a load under way, a failed one, and one that succeeded")
    func fakes() {
        let loading = ResourceState<Int>.fakeLoading(1)
        #expect(loading.isLoading && loading.isRequesting && loading.content == 1 && loading.latestError == nil)
        let failure = ResourceState<Int>.fakeFailure(error)
        #expect(!failure.isLoading && failure.content == nil && failure.latestError?.userMessage == "Server error")
        #expect(failure.latestEvent == .error)
        let data = ResourceState.fake(1)
        #expect(!data.isLoading && data.content == 1 && data.isUpToDate && data.latestEvent == .newData(.network))
    }
}
