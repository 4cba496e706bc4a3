import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests that are called off", .timeLimit(.minutes(1)))
struct CancellationTests {
    @Test("A request of a cancelled task is not sent", arguments: TransportKind.allCases)
    func beforehand(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .ok("hello")
        } test: { server in
            let transport = kind.make()
            let gate = Gate()
            let task = Task {
                await gate.wait()
                await expectCancelled { try await transport.get(server.url()) }
                await expectCancelled { try await transport.streamed(server.url()) }
            }
            task.cancel()
            await task.value
            #expect(server.connectionCount == 0)
        }
    }

    @Test(
        "Cancelling ends the wait and the connection, for a head or in a body",
        arguments: TransportKind.allCases, TimeoutTests.Silence.allCases)
    func midway(kind: TransportKind, silence: TimeoutTests.Silence) async throws {
        try await withLoopback { _ in
            silence.reply
        } test: { server in
            let transport = kind.make()
            let received = Watched(false)
            let task = Task {
                await expectCancelled {
                    try await transport.send(TransportRequest(method: .get, url: server.url()), limit: nil) { _ in
                        received.update { $0 = true }
                    }
                }
            }
            await server.received(1)
            if silence == .head || silence == .halfBody { await received.wait { $0 } }
            task.cancel()
            await task.value
            await server.connectionsBecome(0)
        }
    }

    @Test("Cancelling while a body is sent ends the connection", arguments: TransportKind.allCases)
    func uploading(kind: TransportKind) async throws {
        try await withLoopback(stopsAfterHead: true) { _ in
            .silence
        } test: { server in
            let transport = kind.make()
            let body = Data(repeating: 1, count: 20_000_000)
            let task = Task {
                let request = TransportRequest(method: .post, url: server.url(), body: .data(body))
                await expectCancelled { try await transport.send(request, limit: nil, report: nil) }
            }
            await server.received(1)
            task.cancel()
            await task.value
        }
    }

    @Test("Cancelling the reader of a stream ends the stream and the connection", arguments: TransportKind.allCases)
    func reading(kind: TransportKind) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello")
        } test: { server in
            let transport = kind.make()
            let received = Watched(0)
            let task = Task {
                let answer = try await transport.streamed(server.url())
                await expectCancelled {
                    for try await chunk in answer.body { received.update { $0 += chunk.count } }
                    // Cancelled between two reads, the pieces end as if they were complete: see `HTTPChunks`.
                    if Task.isCancelled { throw HTTPError.cancelled }
                }
            }
            await received.wait { $0 == 5 }
            task.cancel()
            try await task.value
            await server.connectionsBecome(0)
        }
    }

    @Test("Letting a stream go ends its connection, read or not", arguments: TransportKind.allCases, [true, false])
    func dropping(kind: TransportKind, isRead: Bool) async throws {
        try await withLoopback { _ in
            .head(200, ["Content-Length": "10"]) + .bytes("hello")
        } test: { server in
            let transport = kind.make()
            do {
                let answer = try await transport.streamed(server.url())
                var chunks = answer.body.makeAsyncIterator()
                if isRead { #expect(try await chunks.next() != nil) }
                #expect(server.openConnections == 1)
            }
            await server.connectionsBecome(0)
            withExtendedLifetime(transport) {}
        }
    }

    @Test("Cancelling at any moment ends each request once, and harms no other", arguments: TransportKind.allCases)
    func storm(kind: TransportKind) async throws {
        try await withLoopback {
            $0.path == "/redirect" ? .redirect(to: "/", body: "there") : .ok(Data(repeating: 7, count: 5000))
        } test: { server in
            let transport = kind.make()
            await withTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let path = number.isMultiple(of: 2) ? "/redirect" : "/"
                        let task = Task { try await transport.get(server.url(path)).body.count }
                        for _ in 0..<(number % 20) * 10 { await Task.yield() }
                        task.cancel()
                        let count = try? await task.value
                        #expect(count == nil || count == 5 || count == 5000)
                    }
                }
            }
            let answer = try await transport.get(server.url())
            #expect(answer.body.count == 5000)
        }
    }

    #if os(Linux)
        @Test("Cancelling all requests of a transport while they are redirected does not end the process")
        func all() async {
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                try await withLoopback { _ in
                    .redirect(to: "/", body: "there")
                } test: { server in
                    let transport = URLSessionTransport()
                    for delay in 0..<1000 {
                        let tasks = (0..<3).map { _ in Task { try? await transport.get(server.url()) } }
                        try await Task.sleep(for: .microseconds(delay % 300 * 5))
                        transport.cancelAll()
                        for task in tasks { _ = await task.value }
                    }
                }
            }
        }

        @Test("A cancelled request of a configuration with a cache does not end the process")
        func cache() async {
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                try await withLoopback { _ in
                    .ok("hello", ["Cache-Control": "max-age=60"])
                } test: { server in
                    let transport = URLSessionTransport(configuration: .default)
                    for delay in 0..<3000 {
                        let tasks = (0..<3).map { _ in Task { try? await transport.get(server.url()) } }
                        try await Task.sleep(for: .microseconds(delay % 300))
                        for task in tasks { task.cancel() }
                        for task in tasks { _ = await task.value }
                    }
                }
            }
        }
    #endif
}

/// Expects an operation to end with a cancellation.
func expectCancelled(
    sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> some Sendable
) async {
    do {
        _ = try await work()
        Issue.record("was not cancelled", sourceLocation: sourceLocation)
    } catch HTTPError.cancelled {
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}
