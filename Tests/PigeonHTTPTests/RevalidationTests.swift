import Foundation
import PigeonCore
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Asking whether a copy is still right")
struct RevalidationTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
    }

    private let server = StubServer()

    /// Returns a transport that has one version of a user, and supports conditional requests if it has a tag.
    private func transport(tag: String?, headers: HTTPHeaders = [:]) -> StubTransport {
        StubTransport { request in
            var all = headers
            if let tag { all["ETag"] = tag }
            if let tag, request.headers["If-None-Match"] == tag { return .answer(304, all) }
            return .ok(#"{"name": "Ann"}"#, all)
        }
    }

    private func definition(_ dispatcher: NetworkDispatcher) -> QueryDefinition<User> {
        QueryDefinition<User>("users", 1) { context in
            try await dispatcher.value(from: BasicRequest(method: .get, path: "/users/1"), for: context)
        }
    }

    private func dispatcher(_ transport: StubTransport) -> NetworkDispatcher {
        NetworkDispatcher(serverProvider: server, transport: transport)
    }

    @Test("The engine's copy is asked after with its ETag, and 304 keeps it")
    func notModified() async throws {
        let transport = transport(tag: #""v1""#)
        let user = definition(dispatcher(transport))
        let client = QueryClient()
        #expect(try await client.fetch(user) == User(name: "Ann"))
        #expect(try await client.fetch(user) == User(name: "Ann"))
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, #""v1""#])
    }

    @Test("Bytes are asked after with their ETag too, as they are")
    func bytes() async throws {
        let transport = transport(tag: #""v1""#)
        let dispatcher = dispatcher(transport)
        let photo = QueryDefinition<Data>("photos", 1) { context in
            try await dispatcher.data(from: BasicRequest(method: .get, path: "/photos/1"), for: context)
        }
        let client = QueryClient()
        #expect(try await client.fetch(photo) == Data(#"{"name": "Ann"}"#.utf8))
        #expect(try await client.fetch(photo) == Data(#"{"name": "Ann"}"#.utf8))
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, #""v1""#])
    }

    @Test("validators that no header can carry are not kept, and the next fetch asks without", .rule("H8"))
    func unsendable() async throws {
        let headers: HTTPHeaders = ["ETag": "\"a\rb\"", "Last-Modified": "Tue\n15"]
        let transport = StubTransport { _ in .ok(#"{"name": "Ann"}"#, headers) }
        let user = definition(dispatcher(transport))
        let client = QueryClient()
        for _ in 0..<2 { #expect(try await client.fetch(user) == User(name: "Ann")) }
        #expect(transport.requests.allSatisfy { $0.headers["If-None-Match"] == nil })

        for control in (0..<0x20).filter({ $0 != 9 }) + [0x7F] as [UInt32] {
            let character = Character(try #require(Unicode.Scalar(control)))
            #expect(FetchValidators(eTag: "\"a\(character)\"").isEmpty)
        }
        #expect(FetchValidators(eTag: "\"\t ~é\u{85}\"").eTag == "\"\t ~é\u{85}\"")

        var validators = FetchValidators(eTag: "\"a\0\"", lastModified: "now")
        #expect(validators == FetchValidators(lastModified: "now"))
        validators.lastModified = "a\r\nb"
        #expect(validators.isEmpty)
    }

    @Test("Without an ETag, the date of the last change asks")
    func lastModified() async throws {
        let date = "Tue, 15 Nov 1994 12:45:26 GMT"
        let transport = transport(tag: nil, headers: ["Last-Modified": date])
        let user = definition(dispatcher(transport))
        let client = QueryClient()
        for _ in 0..<2 { _ = try await client.fetch(user) }
        #expect(transport.requests.map { $0.headers["If-Modified-Since"] } == [nil, date])
    }

    @Test("An answer without validators takes those of the one before with it")
    func forgotten() async throws {
        let tags = Locked<[String?]>([nil, "\"v1\""])
        let transport = StubTransport { _ in
            let tag = tags.withLock { $0.removeLast() }
            if tags.withLock({ $0.isEmpty }) { tags.withLock { $0 = [nil] } }
            return .ok(#"{"name": "Ann"}"#, tag.map { ["ETag": $0] } ?? [:])
        }
        let user = definition(dispatcher(transport))
        let client = QueryClient()
        for _ in 0..<3 { _ = try await client.fetch(user) }
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\"", nil])
    }

    @Test("The engine keeps a value as fresh as Cache-Control says, of an answer and of a 304")
    func freshness() async throws {
        let clock = ManualClock()
        let transport = transport(tag: #""v1""#, headers: ["Cache-Control": "max-age=60"])
        let user = definition(dispatcher(transport))
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        for expected in [1, 2] {
            _ = try await client.fetch(user)
            clock.advance(by: .seconds(59))
            _ = try await client.fetch(user)
            #expect(transport.requests.count == expected)
            clock.advance(by: .seconds(2))
        }
    }

    @Test("A server that allows no age leaves it to the definition", arguments: ["no-cache", "max-age=0", "no-store"])
    func noAge(_ control: String) async throws {
        let transport = transport(tag: #""v1""#, headers: ["Cache-Control": control])
        let user = definition(dispatcher(transport)).staleAfter(.seconds(60))
        let client = QueryClient(environment: QueryEnvironment(clock: ManualClock()))
        for _ in 0..<2 { _ = try await client.fetch(user) }
        #expect(transport.requests.count == 1)
    }

    @Test(
        "a caller that follows the server receives what stale-while-revalidate and stale-if-error allow", .rule("A35"),
        arguments: [
            ("max-age=10, stale-while-revalidate=60", true), ("max-age=10, stale-while-revalidate=0", false),
            ("max-age=10, must-revalidate, stale-while-revalidate=60", false),
            ("max-age=10, stale-if-error=60", true), ("max-age=10", false),
        ])
    func staleAllowed(_ control: String, isReturned: Bool) async throws {
        let isUp = Locked(true)
        let transport = StubTransport { _ in
            isUp.withLock { $0 } ? .ok(#"{"name": "Ann"}"#, ["Cache-Control": control]) : .answer(503)
        }
        let (clock, user) = (ManualClock(), definition(dispatcher(transport)))
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        _ = try await client.fetch(user)
        isUp.withLock { $0 = false }
        clock.advance(by: .seconds(20))
        let found = try? await client.fetch(user, .asServerSays)
        #expect((found == User(name: "Ann")) == isReturned)
        await until { transport.requests.count == 2 }
    }

    @Test("A 304 that nobody asked for is no success")
    func unasked() async throws {
        let transport = StubTransport { _ in .answer(304) }
        await #expect(throws: HTTPError.self) { try await QueryClient().fetch(definition(dispatcher(transport))) }
    }

    @Test("Cancelling the engine's fetch ends the request, and is no failure")
    func cancelled() async throws {
        let gate = StubGate()
        let isEnded = Locked(false)
        let transport = StubTransport { _ throws(HTTPError) in
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
            isEnded.withLock { $0 = Task.isCancelled }
            throw .cancelled
        }
        let user = definition(dispatcher(transport)).whenAbandoned(.cancel)
        let client = QueryClient()
        let fetch = Task { try await client.fetch(user) }
        await until { gate.count == 1 }
        fetch.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        await until { isEnded.withLock { $0 } }
        #expect(client.snapshot(of: user).error == nil)
    }
}
