import Foundation
import PigeonFutures
import Testing

@MainActor
@Suite("PiuPiu 1.3.1: promises")
struct PromisesTests {
    let screen = Screen()

    private func promise(_ outcome: String) -> Promise<Int, String> {
        return Promise<Int, String>(action: { promise in
            switch outcome {
            case "success": promise.succeed(with: 1)
            case "failure": promise.fail(with: "no")
            case "error": promise.catch(Trouble())
            default: throw Trouble(number: 2)
            }
        })
    }

    private let outcomes = ["success", "failure", "error", "throw"]

    @Test("Promise: init(action:), succeed, fail, catch, and each callback")
    func callbacks() async {
        let screen = self.screen
        for outcome in outcomes {
            await promise(outcome).success({ value in
                screen.show(value)
            }).failure({ text in
                screen.show(text)
            }).error({ error in
                screen.show(error)
            }).completion({
                screen.show("done")
            }).finish()
        }
        let lines = ["1", "done", "no", "done", "Trouble(number: 1)", "done", "Trouble(number: 2)", "done"]
        #expect(screen.lines == lines)
    }

    @Test("Promise: what success and failure throw goes to error")
    func throwing() async {
        let screen = self.screen
        for outcome in ["success", "failure"] {
            await promise(outcome).success({ _ in throw Trouble() }).failure({ _ in throw Trouble(number: 2) })
                .error({ screen.show($0) }).finish()
        }
        #expect(screen.lines == ["Trouble(number: 1)", "Trouble(number: 2)"])
    }

    @Test("Promise.Status: every case")
    func status() async {
        let open = Promise<Int, String>(action: { _ in })
        #expect(open.status == .created)
        open.start()
        #expect(open.status == .started)
        open.succeed(with: 1)
        await open.finish()
        let expected: [Promise<Int, String>.Status] = [.success, .failure, .error, .error]
        for (outcome, status) in zip(outcomes, expected) {
            let ended = promise(outcome)
            await ended.finish()
            #expect(ended.status == status)
            // guide: a `switch` without a `default` over a `StatusCode`, or over the `status`
            switch ended.status {
            case .created, .started: Issue.record("not ended")
            case .success, .failure, .error: break
            default: break
            }
        }
    }

    @Test("Promise: start() and send() return it")
    func starting() async {
        let started: Promise<Int, String> = promise("success").start()
        let sent: Promise<Int, String> = promise("success").send()
        promise("success").start()
        promise("success").send()
        await started.finish()
        await sent.finish()
        #expect(started.status == .success && sent.status == .success)
    }

    @Test("Promise: the types of its closures")
    func closures() async {
        let screen = self.screen
        let action: Promise<Int, String>.ActionCallback = { promise in promise.fail(with: "no") }
        let success: Promise<Int, String>.SuccessHandler = { @MainActor in screen.show($0) }
        let failure: Promise<Int, String>.FailureHandler = { @MainActor in screen.show($0) }
        let error: Promise<Int, String>.ErrorHandler = { @MainActor in screen.show($0) }
        let completion: Promise<Int, String>.CompletionHandler = { @MainActor in screen.show("done") }
        await Promise(action: action).success(success).failure(failure).error(error).completion(completion).finish()
        #expect(screen.lines == ["no", "done"])
    }

    @Test("Promise: then, thenFailure and future")
    func stages() async throws {
        let screen = self.screen
        for outcome in outcomes {
            await promise(outcome).then({ value in
                return "value \(value)"
            }).thenFailure({ text in
                return text.count
            }).success({ (value: String) in
                screen.show(value)
            }).failure({ (count: Int) in
                screen.show(count)
            }).error({ error in
                screen.show(error)
            }).finish()
        }
        #expect(screen.lines == ["value 1", "2", "Trouble(number: 1)", "Trouble(number: 2)"])
        #expect(try await promise("success").future({ $0.count }).value == 1)
        #expect(try await promise("failure").future({ $0.count }).value == 2)
        await #expect(throws: Trouble.self) {
            try await promise("failure").future({ _ in throw Trouble() }).value
        }
    }

    @Test("Promise: fulfill(_:)")
    func fulfilling() async {
        let screen = self.screen
        for outcome in outcomes {
            let inner = promise(outcome)
            await Promise<Int, String>(action: { inner.fulfill($0) }).success({ screen.show($0) })
                .failure({ screen.show($0) }).error({ screen.show($0) }).finish()
        }
        #expect(screen.lines == ["1", "no", "Trouble(number: 1)", "Trouble(number: 2)"])
    }
}
