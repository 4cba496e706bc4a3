import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Retrying")
struct RetryTests {
    private let server = StubServer()
    private let clock = ManualClock()

    private func dispatcher(
        _ transport: StubTransport, limit: Int = 3, total: Duration? = nil
    ) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        policy.retry = RetryPolicy(limit: limit, hasJitter: false)
        policy.totalTimeout = total
        return NetworkDispatcher(serverProvider: server, transport: transport, policy: policy, clock: clock)
    }

    /// Returns a transport that fails a number of times before it succeeds.
    private func failing(_ times: Int, _ failure: @escaping @Sendable () throws(HTTPError) -> TransportResponse<Data>)
        -> StubTransport
    {
        let left = Locked(times)
        return StubTransport { _ throws(HTTPError) in
            let isOver = left.withLock { left in
                left -= 1
                return left < 0
            }
            return isOver ? .ok("well") : try failure()
        }
    }

    /// Advances the clock past each wait as soon as it begins.
    private func advancing<Value: Sendable>(
        by step: Duration = .seconds(30), _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let isOver = Locked(false)
        let task = Task {
            defer { isOver.withLock { $0 = true } }
            return try await work()
        }
        while !isOver.withLock({ $0 }) {
            if clock.alarmCount > 0 { clock.advance(by: step) }
            await Task.yield()
        }
        return try await task.value
    }

    @Test("What is transient is asked again", arguments: [408, 429, 500, 502, 503, 504])
    func transientStatus(_ status: Int) async throws {
        let transport = failing(2) { () in .answer(status) }
        let dispatcher = dispatcher(transport)
        let text = try await advancing { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) }
        #expect(text == "well")
        #expect(transport.requests.count == 3)
    }

    @Test("A lost connection is asked again")
    func lostConnection() async throws {
        let transport = failing(1) { () throws(HTTPError) in throw .transport(URLError(.networkConnectionLost)) }
        let dispatcher = dispatcher(transport)
        #expect(
            try await advancing { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) } == "well")
    }

    @Test("What will not change by asking again is not asked again", arguments: [400, 401, 403, 404, 422])
    func permanentStatus(_ status: Int) async throws {
        let transport = failing(1) { () in .answer(status) }
        let response = try await dispatcher(transport).response(from: BasicRequest(method: .get, path: "/a"))
        #expect(response.statusCode.rawValue == status)
        #expect(transport.requests.count == 1)
    }

    @Test("The last answer is returned when the limit is reached")
    func limit() async throws {
        let transport = failing(9) { () in .answer(503) }
        let dispatcher = dispatcher(transport, limit: 2)
        let response = try await advancing {
            try await dispatcher.response(from: BasicRequest(method: .get, path: "/a"))
        }
        #expect(response.statusCode == .serviceUnavailable)
        #expect(transport.requests.count == 3)
    }

    @Test(
        "A POST may have been carried out, and is not sent twice, unless it has an Idempotency-Key",
        arguments: [([:], 1), (["Idempotency-Key": "7"], 2)])
    func posts(_ headers: [String: String], _ count: Int) async throws {
        let transport = failing(1) { () in .answer(503) }
        let dispatcher = dispatcher(transport)
        _ = try await advancing {
            try await dispatcher.response(from: BasicRequest(method: .post, path: "/a", headers: headers))
        }
        #expect(transport.requests.count == count)
    }

    @Test("Retry-After is obeyed to the second")
    func retryAfter() async throws {
        let transport = failing(1) { () in .answer(429, ["Retry-After": "17"]) }
        let dispatcher = dispatcher(transport)
        let reply = Task { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) }
        await until { clock.alarmCount == 1 }
        clock.advance(by: .seconds(16))
        #expect(clock.alarmCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await reply.value == "well")
    }

    @Test(
        "a Retry-After for which no person waits is not waited for: the answer says how long it is", .rule("A8", "K30"))
    func longRetryAfter() async throws {
        let transport = failing(9) { () in .answer(503, ["Retry-After": "86400"]) }
        let dispatcher = dispatcher(transport)
        let response = try await advancing(by: .seconds(86_400)) {
            try await dispatcher.response(from: BasicRequest(method: .get, path: "/a"))
        }
        #expect(response.statusCode == .serviceUnavailable)
        #expect(response.httpError?.retryAfter == .seconds(86_400))
        #expect(transport.requests.count == 1)
        #expect(clock.alarmCount == 0)
    }

    @Test("a program in which nobody waits can allow more", .rule("A8", "K30"))
    func allowedRetryAfter() async throws {
        let transport = failing(1) { () in .answer(503, ["Retry-After": "3000"]) }
        var policy = HTTPPolicy()
        policy.retry = .standard
        policy.retry.longestRetryAfter = .seconds(3600)
        let dispatcher = NetworkDispatcher(serverProvider: server, transport: transport, policy: policy, clock: clock)
        let reply = Task { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) }
        await until { clock.alarmCount == 1 }
        clock.advance(by: .seconds(2999))
        #expect(clock.alarmCount == 1)
        clock.advance(by: .seconds(1))
        #expect(try await reply.value == "well")
    }

    @Test(
        "a method that IANA calls idempotent is repeated, and another is not", .rule("D16", "K27"),
        arguments: [("PROPFIND", 2), ("PURGE", 1)])
    func otherMethods(_ name: String, _ count: Int) async throws {
        let transport = failing(1) { () in .answer(503) }
        let dispatcher = dispatcher(transport)
        _ = try await advancing {
            try await dispatcher.response(from: BasicRequest(methodName: name, path: "/a"))
        }
        #expect(transport.requests.map(\.methodName) == Array(repeating: name, count: count))
    }

    @Test("Cancelling ends the wait, and asks no more")
    func cancelled() async throws {
        let transport = failing(9) { () in .answer(503) }
        let dispatcher = dispatcher(transport)
        let reply = Task { () -> HTTPError? in
            do throws(HTTPError) {
                try await dispatcher.send(BasicRequest(method: .get, path: "/a"))
                return nil
            } catch {
                return error
            }
        }
        await until { clock.alarmCount == 1 }
        reply.cancel()
        guard case .cancelled = await reply.value else {
            Issue.record("not cancelled")
            return
        }
        #expect(transport.requests.count == 1)
        #expect(clock.alarmCount == 0)
    }

    @Test("A wait that would end after the total timeout is not begun: the last answer is the answer")
    func noWaitInVain() async throws {
        let transport = failing(9) { () in .answer(503, ["Retry-After": "20"]) }
        let response = try await dispatcher(transport, total: .seconds(20))
            .response(from: BasicRequest(method: .get, path: "/a"))
        #expect(response.statusCode == .serviceUnavailable)
        #expect(transport.requests.count == 1)
    }

    @Test("The total timeout ends a request that is under way, with all its attempts")
    func totalTimeout() async throws {
        let gate = StubGate()
        let transport = StubTransport { _ throws(HTTPError) in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
            if Task.isCancelled { throw .cancelled }
            return .ok()
        }
        let dispatcher = dispatcher(transport, total: .seconds(20))
        let reply = Task { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) }
        await until { gate.count == 1 }
        clock.advance(by: .seconds(20))
        await #expect {
            try await reply.value
        } throws: { error in
            guard case HTTPError.transport(let error) = error else { return false }
            return error.code == .timedOut
        }
    }

    @Test("A closure of the policy sees the status, and decides")
    func ownDecision() async throws {
        let seen = Locked<[Int?]>([])
        var policy = HTTPPolicy()
        policy.retry = RetryPolicy(limit: 1, delay: { _ in .zero }) { error in
            seen.withLock { $0.append((error as? HTTPError)?.statusCode) }
            return true
        }
        let transport = failing(1) { () in .answer(404) }
        let dispatcher = NetworkDispatcher(
            serverProvider: server, transport: transport, policy: policy, clock: clock)
        #expect(
            try await advancing { try await dispatcher.string(from: BasicRequest(method: .get, path: "/a")) } == "well")
        #expect(seen.withLock { $0 } == [404])
    }
}
