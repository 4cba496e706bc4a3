#if Devtools
    import Foundation
    import PigeonBase
    import PigeonCore
    import PigeonDevtools
    import TestSupport
    import Testing

    @Suite("a desk shows programs that cannot be reached", .rule("V6"), .timeLimit(.minutes(1)))
    struct DeskTests {
        private let client = QueryClient()
        private let announced = Recorder<String>()

        private func startDesk(_ change: (inout Desk.Options) -> Void = { _ in }) async throws -> Desk {
            var options = Desk.Options()
            options.ports = (0, 0)
            options.announce = { announced.append($0) }
            change(&options)
            return try await Desk.start(options)
        }

        private func dial(
            _ address: String, _ client: QueryClient, _ announce: @escaping @Sendable (String) -> Void = { _ in }
        ) async throws -> Devtools {
            var options = Devtools.Options()
            options.reach = .desk(try #require(URL(string: address)))
            options.allowsReleaseBuilds = true
            options.announce = announce
            return try await Devtools.start(client, named: "test", options: options)
        }

        private func connect(_ desk: Desk, program: Int? = nil) async throws -> SocketClient {
            try await SocketClient.connect(
                try #require(URL(string: desk.address)), query: program.map { "&program=\($0)" } ?? "")
        }

        private func ids(_ message: SocketClient.Message) -> [Int] {
            (message["programs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int }
        }

        @Test(
            "a browser learns which programs there are, and sees the client of one as if it were connected to it",
            .rule("V6"))
        func joins() async throws {
            let desk = try await startDesk()
            let browser = try await connect(desk)
            let empty = try await browser.next("programs")
            #expect(ids(empty).isEmpty)
            #expect(empty["program"] is NSNull)
            #expect(empty["dial"] as? [String] == desk.programAddresses)
            let devtools = try await dial(desk.programAddresses[0], client)
            let programs = try await browser.next("programs") { !ids($0).isEmpty }
            let first = try #require((programs["programs"] as? [[String: Any]])?.first)
            #expect(first["pid"] as? Int == Int(ProcessInfo.processInfo.processIdentifier))
            #expect(first["address"] as? String == "127.0.0.1")
            #expect(first["name"] as? String == ProcessInfo.processInfo.processName)

            let joined = try await connect(desk, program: ids(programs)[0])
            #expect(try await joined.next("programs")["program"] as? Int == 1)
            let hello = try await joined.next("hello")
            #expect((hello["clients"] as? [[String: Any]])?.first?["name"] as? String == "test")
            try client.set("Ann", for: .value("user"))
            try joined.send(["type": "watch", "client": 1])
            let entries = try await joined.next("entries")
            #expect((entries["rows"] as? [[String: Any]])?.first?["key"] as? String == "user")
            try joined.send(["type": "do", "id": 1, "client": 1, "action": "remove", "filter": ["kind": "all"]])
            _ = try await joined.next("done")
            #expect(client.report(of: "user") == nil)
            await devtools.stop()
            await desk.stop()
        }

        @Test("a program that leaves is gone from the list, and its browsers stay connected", .rule("V6"))
        func leaves() async throws {
            let desk = try await startDesk()
            let devtools = try await dial(desk.programAddresses[0], client)
            await until { announced.all.contains { $0.hasPrefix("Connected: ") } }
            let browser = try await connect(desk, program: 1)
            _ = try await browser.next("hello")
            await devtools.stop()
            let programs = try await browser.next("programs") { ids($0).isEmpty }
            #expect(programs["program"] is NSNull)
            await until { announced.all.contains { $0.hasPrefix("Left: ") } }
            let again = try await dial(desk.programAddresses[0], client)
            _ = try await browser.next("programs") { ids($0) == [2] }
            await again.stop()
            await desk.stop()
        }

        @Test("a program waits for a desk, and finds it again", .rule("V6"))
        func dialsAgain() async throws {
            let first = try await startDesk { $0.token = "a token of the team" }
            let port = try #require(URL(string: first.programAddresses[0])?.port)
            let texts = Recorder<String>()
            let address = first.programAddresses[0]
            await first.stop()
            let devtools = try await dial(address, client) { texts.append($0) }
            await until { texts.all.contains { $0.contains("cannot be reached") } }
            let second = try await startDesk {
                $0.ports = (0, port)
                $0.token = "a token of the team"
            }
            await until { texts.all.last?.contains("shows this program") ?? false }
            await until { announced.all.contains { $0.hasPrefix("Connected: ") } }
            #expect(!texts.all.contains { $0.contains("team") })
            await devtools.stop()
            await second.stop()
        }

        @Test("a desk is found by the name of its machine, and a program connects once", .rule("V6"))
        func byName() async throws {
            let desk = try await startDesk { $0.token = "letters & digits = 1+1" }
            let address = desk.programAddresses[0].replacingOccurrences(of: "127.0.0.1", with: "localhost")
            let devtools = try await dial(address, client)
            await until { announced.all.contains { $0.hasPrefix("Connected: ") } }
            let browser = try await connect(desk, program: 1)
            _ = try await browser.next("hello")
            #expect(announced.all.count == 1)
            await devtools.stop()
            await desk.stop()
        }

        @Test("without its token, nobody is a program, and a browser never is", .rule("V6"))
        func refuses() async throws {
            let desk = try await startDesk()
            let texts = Recorder<String>()
            let address = try #require(URL(string: desk.programAddresses[0]))
            let wrong = "ws://127.0.0.1:\(address.port ?? 0)/?token=wrong"
            let devtools = try await dial(wrong, client) { texts.append($0) }
            await until { texts.all.contains { $0.contains("the token is wrong") } }
            // The page's token is no program's token, and the other way.
            let page = try #require(URL(string: desk.address))
            let pageToken = page.query?.split(separator: "=").last.map(String.init)
            let programToken = address.query?.split(separator: "=").last.map(String.init)
            await #expect(throws: SocketClient.Refused.self) {
                _ = try await SocketClient.connect(address, token: pageToken)
            }
            await #expect(throws: SocketClient.Refused.self) {
                _ = try await SocketClient.connect(page, token: programToken)
            }
            // A page of another site has an Origin.
            await #expect(throws: SocketClient.Refused.self) { _ = try await SocketClient.connect(address) }
            // A number that the desk did not give.
            await #expect(throws: SocketClient.Refused.self) {
                _ = try await SocketClient.connect(address, query: "&browser=1", headers: ["Origin": ""])
            }
            #expect(announced.all.isEmpty)
            await devtools.stop()
            await desk.stop()
        }

        @Test(
            "an address that is none of a desk is refused, without its secret", .rule("V6"),
            arguments: ["http://127.0.0.1:4775/?token=secret", "ws://127.0.0.1:4775/", "ws:secret", "secret"])
        func badAddress(text: String) async throws {
            let error = await #expect(throws: DevtoolsError.self) { _ = try await dial(text, client) }
            let description = "\(try #require(error))"
            #expect(description.contains("this is not the address of a desk"))
            #expect(!description.contains("secret"))
        }

        @Test("a recording is served to the page alone", .rule("V6"))
        func recording() async throws {
            let desk = try await startDesk { $0.recording = ("demo.pigeon", Array("{}".utf8)) }
            let browser = try await connect(desk)
            #expect(try await browser.next("programs")["recording"] as? String == "demo.pigeon")
            let address = try #require(URL(string: desk.address))
            let token = address.query ?? ""
            let answer = try await RawRequest("GET /recording?\(token) HTTP/1.1", to: address)
            #expect(answer.body == "{}")
            let refusal = try await RawRequest("GET /recording?token=wrong HTTP/1.1", to: address)
            #expect(refusal.head.hasPrefix("HTTP/1.1 404"))
            await desk.stop()
        }

        @Test("a browser that reads nothing slows its program and other browsers down in nothing", .rule("V6"))
        func slowBrowser() async throws {
            let desk = try await startDesk()
            let devtools = try await dial(desk.programAddresses[0], client)
            await until { announced.all.contains { $0.hasPrefix("Connected: ") } }
            let text = String(repeating: "x", count: 4000)
            for id in 0..<1000 { try client.set(text, for: .value(QueryKey("texts", text, id))) }
            let address = try #require(URL(string: desk.address))
            let slow = try await SocketClient.connect(address, query: "&program=1", readsAtOnce: false)
            slow.read()
            _ = try await slow.next("hello")
            try await slow.stopReading()
            try slow.send(["type": "watch", "client": 1])
            let quick = try await connect(desk, program: 1)
            _ = try await quick.next("hello")
            try quick.send(["type": "watch", "client": 1])
            _ = try await quick.next("entries") { $0["more"] as? Bool == false }
            slow.read()
            _ = try await slow.next("entries") { $0["more"] as? Bool == false }
            await devtools.stop()
            await desk.stop()
        }
    }
#endif
