import PigeonFutures
import TestSupport
import Testing

@Suite("Handlers that come late")
struct LateHandlerTests {
    private let told = Recorder<String>()

    @Test("Attached after the end, each is called once, and those that do not fit are not", .rule("D2"))
    func afterEnd() async {
        let (told, ended) = (told, Gate())
        let future = ResponseFuture(result: 1)
        await future.finished()
        future.success { told.append("\($0)") }.error { _ in told.append("error") }
            .cancellation { told.append("cancellation") }.result { told.append("\((try? $0.get()) ?? 0)") }
            .completion { ended.open() }
        await ended.wait()
        #expect(told.all == ["1", "1"])
        #expect(future.status == .success)
    }

    @Test("What a late success handler throws goes to the error handlers after it; the future stays as it ended")
    func lateError() async throws {
        let (told, ended) = (told, Gate())
        let future = ResponseFuture(result: 1)
        await future.finished()
        future.success { _ in throw Failure(name: "late") }.error { told.append("\($0)") }
            .completion { ended.open() }
        await ended.wait()
        #expect(told.all == [#"Failure(name: "late")"#])
        #expect(future.status == .success)
        #expect(try await future.value == 1)
    }

    @Test("Attached by a handler, they are called in their turn")
    func byHandler() async {
        let told = told
        let future = ResponseFuture(result: 1)
        future.success { [weak future] _ in
            future?.success { _ in told.append("inner") }.completion { told.append("inner completion") }
            told.append("outer")
        }.completion { [weak future] in
            future?.success { told.append("\($0)") }
            told.append("completion")
        }
        await future.finished()
        #expect(told.all == ["outer", "inner", "completion", "1", "inner completion"])
    }

    @Test("A handler may start, end and cancel its own future: it has ended already")
    func reentrant() async {
        let told = told
        let future = ResponseFuture(result: 1)
        future.success { [weak future] in
            future?.start()
            future?.cancel()
            future?.fail(with: Failure())
            told.append("\($0)")
        }.cancellation { told.append("cancellation") }.completion { told.append("completion") }
        await future.finished()
        #expect(told.all == ["1", "completion"])
        #expect(future.status == .success)
    }
}
