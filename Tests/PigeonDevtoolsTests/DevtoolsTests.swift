#if Devtools
    import Foundation
    import PigeonBase
    import PigeonCore
    import PigeonOutbox
    import PigeonDevtools
    import PigeonHTTP
    import PigeonSQLite
    import PigeonTesting
    import TestServer
    import TestSupport
    import Testing

    @Suite("The devtools, as a browser meets them", .timeLimit(.minutes(1)))
    struct DevtoolsTests {
        private struct User: Codable, Sendable, Equatable {
            var name: String
            var tags = ["a", "b"]
        }

        private struct Member: Identifiable, Codable, Sendable, Equatable {
            var id: Int
            var name = "Ann"
        }

        private static let members = QueryDefinition<[Member]>.value("members").contains(each: Member.self)

        private let clock = ManualClock()
        private let client: QueryClient

        init() {
            client = QueryClient(environment: QueryEnvironment(clock: clock))
        }

        private func start(_ change: (inout Devtools.Options) -> Void = { _ in }) async throws -> Devtools {
            var options = Devtools.Options()
            options.announce = { _ in }
            options.allowsReleaseBuilds = true
            change(&options)
            return try await Devtools.start(client, named: "test", options: options)
        }

        private func user(_ id: Int) -> QueryDefinition<User> {
            QueryDefinition(QueryKey("users", id).tagged("team")) { _ in User(name: "Ann \(id)") }
                .staleAfter(.seconds(30))
        }

        /// Connects, and watches the client.
        private func watch(_ devtools: Devtools) async throws -> SocketClient {
            let socket = try await SocketClient.connect(devtools.address)
            let hello = try await socket.next("hello")
            let client = try #require((hello["clients"] as? [[String: Any]])?.first)
            #expect(client["name"] as? String == "test")
            try socket.send(["type": "watch", "client": 1])
            return socket
        }

        private func rows(_ message: SocketClient.Message) -> [[String: Any]] {
            message["rows"] as? [[String: Any]] ?? []
        }

        private func row(
            _ key: String, in socket: SocketClient, where isWanted: ([String: Any]) -> Bool = { _ in true }
        )
            async throws -> [String: Any]
        {
            while true {
                let message = try await socket.next("entries")
                if let row = rows(message).first(where: { $0["key"] as? String == key && isWanted($0) }) { return row }
            }
        }

        private func act(_ action: [String: Any], in socket: SocketClient) async throws -> SocketClient.Message {
            try socket.send(["type": "do", "id": 1, "client": 1].merging(action) { $1 })
            return try await socket.next("done")
        }

        private func filter(_ kind: String, _ value: String = "") -> [String: Any] { ["kind": kind, "value": value] }

        // MARK: Looking

        @Test("a browser learns what the client has, and each change, with its cause", .rule("V1"))
        func entriesAndEvents() async throws {
            let observer = client.observe(user(7))
            _ = try await client.fetch(user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            let state = try await socket.next("state")
            #expect(state["entryCount"] as? Int == 2)
            #expect(state["canAdvance"] as? Bool == true)
            let first = try await socket.next("entries")
            #expect(first["reset"] as? Bool == true)
            #expect(first["more"] as? Bool == false)
            let seven = try #require(rows(first).first { $0["key"] as? String == "users/7" })
            #expect(seven["path"] as? [String] == ["users", "7"])
            #expect(seven["observers"] as? Int == 1)
            #expect(seven["type"] as? String == "User")
            #expect(seven["state"] as? String == "fresh")
            #expect(seven["tags"] as? [String] == ["team"])
            #expect((seven["next"] as? [String: Any])?["what"] as? String == "stale")
            client.invalidateWithoutWaiting(.tag("team"))
            var kinds: [String] = []
            while !kinds.contains("fresh") {
                let events = try await socket.next("events")["events"] as? [[String: Any]] ?? []
                for event in events where event["key"] as? String == "users/7" {
                    kinds.append(event["kind"] as? String ?? "")
                    if event["kind"] as? String == "fetching" {
                        #expect(event["causes"] as? [String] == ["invalidated", "requested"])
                    }
                }
            }
            #expect(kinds.contains("invalidated"))
            client.remove(.key(user(1).key))
            let removal = try await socket.next("entries") { !($0["removed"] as? [Int] ?? []).isEmpty }
            #expect((removal["removed"] as? [Int])?.count == 1)
            withExtendedLifetime(observer) {}
            await devtools.stop()
        }

        @Test("what causes no event is noticed too, such as a new observer", .rule("V1"))
        func observers() async throws {
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            #expect(try await row("users/1", in: socket)["observers"] as? Int == 0)
            let observer = client.observe(user(1))
            #expect(
                try await row("users/1", in: socket) { $0["observers"] as? Int == 1 }["state"] as? String == "fresh")
            withExtendedLifetime(observer) {}
            await devtools.stop()
        }

        @Test("a browser that begins to watch takes no change away from another", .rule("V1"))
        func secondBrowser() async throws {
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let first = try await watch(devtools)
            _ = try await row("users/1", in: first)
            let second = try await watch(devtools)
            for _ in 0..<5 {
                clock.advance(by: .seconds(1))
                try client.set(User(name: "Ann"), for: user(1))
                try second.send(["type": "watch", "client": 1])
                let now = Double(clock.now().nanoseconds) / 1e6
                _ = try await row("users/1", in: first) { $0["updatedAt"] as? Double == now }
            }
            await devtools.stop()
        }

        @Test("an entry's record, its cache, and the lines that observe it are shown", .rule("V1"))
        func record() async throws {
            // With the file, SQLite keeps two others, for as long as the client uses it.
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent("queries.sqlite")
            let client = QueryClient(cache: try SQLiteQueryCache(at: file))
            var options = Devtools.Options()
            options.announce = { _ in }
            options.allowsReleaseBuilds = true
            let devtools = try await Devtools.start(client, named: "test", options: options)
            let line = #line + 1
            let observers = (0..<2).map { _ in client.observe(user(1).persisted()) }
            await until { client.value(of: user(1)) != nil }
            await client.flush()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            try socket.send(["type": "open", "client": 1, "key": "users/1"])
            let entry = try await socket.next("entry") { ($0["detail"] as? [String: Any])?["record"] is [String: Any] }
            let detail = try #require(entry["detail"] as? [String: Any])
            let record = try #require(detail["record"] as? [String: Any])
            #expect(record["cache"] as? String == "SQLiteQueryCache")
            #expect(record["bytes"] as? Int ?? 0 > 10)
            #expect(record["isStale"] as? Bool == false)
            let shown = try #require((detail["observers"] as? [[String: Any]])?.first)
            #expect(shown["place"] as? String == "\(#fileID):\(line)")
            #expect(shown["count"] as? Int == 2)
            let state = try await socket.next("state") {
                (($0["caches"] as? [[String: Any]])?.first?["records"] as? Int) == 1
            }
            let cache = try #require((state["caches"] as? [[String: Any]])?.first)
            #expect(cache["name"] as? String == "SQLiteQueryCache")
            #expect(cache["bytes"] as? Int == record["bytes"] as? Int)
            #expect(cache["oldestAt"] as? Double == cache["newestAt"] as? Double)
            withExtendedLifetime(observers) {}
            await devtools.stop()
        }

        @Test("an entry is shown as a tree, with its versions, its settings and why", .rule("V1"))
        func entry() async throws {
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            try socket.send(["type": "open", "client": 1, "key": "users/1"])
            let detail = try #require(try await socket.next("entry")["detail"] as? [String: Any])
            let value = try #require(detail["value"] as? [String: Any])
            let children = try #require(value["children"] as? [[String: Any]])
            #expect(value["type"] as? String == "User")
            #expect(children.map { $0["name"] as? String } == ["name", "tags"])
            #expect(children.first?["text"] as? String == "\"Ann\"")
            #expect(
                (children.last?["children"] as? [[String: Any]])?.compactMap { $0["text"] as? String } == [
                    "\"a\"", "\"b\"",
                ])
            #expect(detail["why"] as? [String] == ["Nothing has happened to it since the devtools were started."])
            #expect((detail["options"] as? [[String]])?.isEmpty == false)
            #expect(detail["isEditable"] as? Bool == true)
            try client.set(User(name: "Bea"), for: user(1))
            let second = try await socket.next("entry")["detail"] as? [String: Any]
            #expect((second?["versions"] as? [[String: Any]])?.count == 2)
            #expect(second?["why"] as? [String] == ["A value was written, 0 ms ago, because the program wrote it."])
            client.remove(.key(user(1).key))
            #expect(try await socket.next("entry")["detail"] is NSNull)
            try await Task.sleep(for: .milliseconds(350))
            #expect(!socket.messages.contains { $0["type"] as? String == "entry" })
            await devtools.stop()
        }

        private func select(_ type: String, _ id: String, in key: String, _ socket: SocketClient) throws {
            let selected = ["type": type, "id": id]
            try socket.send(["type": "select", "client": 1, "key": key, "selected": selected])
        }

        private func reasons(of entry: SocketClient.Message) -> [String] {
            (entry["detail"] as? [String: Any])?["why"] as? [String] ?? []
        }

        @Test(
            "an entry names its items, and an item the entries in which it stands, and where the newest came from",
            .rule("V8"))
        func items() async throws {
            try client.set([Member(id: 2), Member(id: 10), Member(id: 1)], for: Self.members)
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("members", in: socket)
            try socket.send(["type": "open", "client": 1, "key": "members"])
            let detail = try #require(try await socket.next("entry")["detail"] as? [String: Any])
            let kinds = try #require(detail["items"] as? [[String: Any]])
            #expect(kinds.map { $0["type"] as? String } == ["Member"])
            #expect(kinds.first?["count"] as? Int == 3)
            #expect(kinds.first?["behind"] as? Int == 0)
            let items = try #require(kinds.first?["items"] as? [[String: Any]])
            #expect(items.map { $0["id"] as? String } == ["1", "2", "10"])
            try select("Member", "1", in: "members", socket)
            let first = try await socket.next("item")
            #expect((first["item"] as? [String: Any])?["id"] as? String == "1")
            #expect(first["count"] as? Int == 1)
            #expect((first["origin"] as? [String: Any])?["page"] is NSNull)
            try client.set(
                Member(id: 1, name: "Bea"), for: QueryDefinition<Member>.value("members", 1).contains(\.self))
            let second = try await socket.next("item") { $0["count"] as? Int == 2 }
            let entries = try #require(second["entries"] as? [[String: Any]])
            #expect(entries.map { $0["key"] as? String } == ["members", "members/1"])
            #expect((second["origin"] as? [String: Any])?["key"] as? String == "members/1")
            let reason = "A value was written, 0 ms ago, because members/1 has a newer item."
            _ = try await socket.next("entry") { reasons(of: $0).contains(reason) }
            // What an entry does not contain is not looked for.
            try select("User", "1", in: "members", socket)
            try socket.send(["type": "open", "client": 1, "key": "members/1"])
            let other = try await socket.next("entry") { $0["key"] as? String == "members/1" }
            #expect((other["detail"] as? [String: Any])?["items"] is [[String: Any]])
            #expect(!socket.messages.contains { ($0["item"] as? [String: Any])?["type"] as? String == "User" })
            await devtools.stop()
        }

        @Test("an entry whose definition names no items has none", .rule("V8"))
        func noItems() async throws {
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            try socket.send(["type": "open", "client": 1, "key": "users/1"])
            #expect((try await socket.next("entry")["detail"] as? [String: Any])?["items"] is NSNull)
            await devtools.stop()
        }

        @Test("an entry is explained back to the first cause", .rule("V1"))
        func why() async throws {
            let observer = client.observe(user(1))
            await until { observer.snapshot.value != nil }
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            _ = try await client.mutate("rename", invalidates: [.tag("team")]) { _ in }
            client.setFault(.hang, for: .all)
            client.invalidateWithoutWaiting(.all)
            try socket.send(["type": "open", "client": 1, "key": "users/1"])
            let entry = try await socket.next("entry") { message in
                let detail = message["detail"] as? [String: Any]
                return (detail?["why"] as? [String])?.first?.hasPrefix("Its fetches") == true
            }
            let why = try #require((entry["detail"] as? [String: Any])?["why"] as? [String])
            #expect(
                why.prefix(3) == [
                    "Its fetches are disturbed: they never end.", "A fetch is in flight, because it was invalidated.",
                    "It was invalidated, because the program asked for it.",
                ])
            #expect(why.contains("A fetch began, 0 ms ago, because it was invalidated."))
            #expect(why.contains("It was invalidated, 0 ms ago, because of mutation rename."))
            await devtools.stop()
        }

        @Test(
            "a browser that comes back learns of all that happened in between, and nothing counts as dropped",
            .rule("V1"))
        func comesBack() async throws {
            let devtools = try await start()
            try client.set(User(name: "Ann"), for: user(0))
            let first = try await watch(devtools)
            _ = try await first.next("outbox")
            await first.close()
            try await Task.sleep(for: .milliseconds(300))
            for id in 0..<1000 { try client.set(User(name: "\(id)"), for: user(id)) }
            let second = try await watch(devtools)
            let events = try await second.next("events")
            #expect((events["events"] as? [Any])?.count == 1001)
            #expect(events["dropped"] as? Int == 0)
            try await Task.sleep(for: .milliseconds(350))
            #expect(!second.messages.contains { $0["type"] as? String == "events" })
            await devtools.stop()
        }

        @Test("an entry without a value shows none, also if it had one", .rule("V1"))
        func emptied() async throws {
            let observer = client.observe(QueryDefinition<User>.value(user(1).key))
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            try socket.send(["type": "open", "client": 1, "key": "users/1"])
            #expect((try await socket.next("entry")["detail"] as? [String: Any])?["value"] is [String: Any])
            client.remove(.key(user(1).key))
            #expect((try await socket.next("entry")["detail"] as? [String: Any])?["value"] is NSNull)
            withExtendedLifetime(observer) {}
            await devtools.stop()
        }

        @Test("several clients and several browsers at once; a client that is gone is no longer shown", .rule("V1"))
        func several() async throws {
            let devtools = try await start()
            var other: QueryClient? = QueryClient()
            try other?.set(1, for: .value("one"))
            if let other { devtools.add(other, named: "other") }
            let (first, second) = (try await watch(devtools), try await SocketClient.connect(devtools.address))
            try second.send(["type": "watch", "client": 2])
            #expect(try await row("one", in: second)["state"] as? String == "stale")
            try client.set(User(name: "Ann"), for: user(1))
            _ = try await row("users/1", in: first)
            // A browser may ask for an entry of a client that it does not watch.
            try first.send(["type": "open", "client": 2, "key": "one"])
            _ = try await first.next("entry")
            other = nil
            let gone = try await first.next("clients") { ($0["clients"] as? [[String: Any]])?.count == 1 }
            #expect((gone["clients"] as? [[String: Any]])?.compactMap { $0["id"] as? Int } == [1])
            await devtools.stop()
        }

        // MARK: Doing

        @Test(
            "a browser can fetch, invalidate, reset and remove, and the events say that it was the devtools",
            .rule("V2"))
        func actions() async throws {
            let observer = client.observe(user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            try socket.send(["type": "preview", "id": 9, "client": 1, "filter": filter("path", "users")])
            let preview = try await socket.next("preview")
            #expect(preview["count"] as? Int == 1)
            #expect(preview["keys"] as? [String] == ["users/1"])
            let causes = EventRecorder(client)
            for (action, kind) in [("invalidate", "tag"), ("refetch", "path"), ("reset", "key"), ("remove", "all")] {
                let value = ["tag": "team", "path": "users", "key": "users/1"][kind] ?? ""
                let answer = try await act(["action": action, "filter": filter(kind, value)], in: socket)
                #expect(answer["error"] == nil, "\(action): \(answer)")
            }
            await until { causes.events.filter { "\($0.cause)".hasSuffix("by devtools") }.count >= 4 }
            withExtendedLifetime(observer) {}
            await devtools.stop()
        }

        @Test("a browser can write a value, and what is no such value is refused and changes nothing", .rule("V2"))
        func edit() async throws {
            try client.set(User(name: "Ann"), for: user(1))
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            let good = #"{"name":"Bea","tags":[]}"#
            let done = try await act(["action": "edit", "key": "users/1", "json": good], in: socket)
            #expect(done["error"] == nil)
            #expect(client.value(of: user(1)) == User(name: "Bea", tags: []))
            let failed = try await act(["action": "edit", "key": "users/1", "json": "{}"], in: socket)
            #expect((failed["error"] as? String)?.contains("name") == true)
            #expect(client.value(of: user(1)) == User(name: "Bea", tags: []))
            await devtools.stop()
        }

        @Test(
            "a browser can disturb fetches, change the surroundings, and advance a clock that can be advanced",
            .rule("V2"))
        func disturbances() async throws {
            let observer = client.observe(user(1))
            await until { observer.snapshot.value != nil }
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await row("users/1", in: socket)
            _ = try await act(["action": "fault", "filter": filter("key", "users/1"), "fault": "fail"], in: socket)
            _ = try await act(["action": "refetch", "filter": filter("key", "users/1")], in: socket)
            await until { observer.snapshot.error is FetchFault.Failure }
            _ = try await row("users/1", in: socket) {
                $0["fault"] as? String == "fail" && $0["state"] as? String == "failed"
            }
            _ = try await act(["action": "online", "on": false], in: socket)
            #expect(!client.environment.connectivity.isOn)
            _ = try await act(["action": "active", "on": false], in: socket)
            #expect(!client.environment.activity.isOn)
            let before = clock.now()
            _ = try await act(["action": "advance", "ms": 1500], in: socket)
            #expect(before.duration(to: clock.now()) == .milliseconds(1500))
            let wrong = try await act(["action": "dance"], in: socket)
            #expect(wrong["error"] as? String == "dance is not known")
            withExtendedLifetime(observer) {}
            await devtools.stop()
        }

        // MARK: Requests

        @Test("a request shows with its entry, status, size and times, and without secrets", .rule("V5"))
        func requests() async throws {
            let server = try await LoopbackServer { $0.target.hasPrefix("/users/2") ? .status(503) : .ok("Ann") }
            let dispatcher = NetworkDispatcher(baseURL: server.url())
            let devtools = try await start { $0.hidesKey = { $0.isWithin("tokens") } }
            let socket = try await watch(devtools)
            func load(_ key: QueryKey, _ path: String, _ items: [URLQueryItem] = []) async -> String? {
                let definition = QueryDefinition<String>(key) { _ in
                    let request = BasicRequest(
                        method: .get, path: path, queryItems: items, headers: ["Authorization": "Bearer sesame"])
                    return try await dispatcher.string(from: request)
                }
                return try? await client.fetch(definition)
            }
            #expect(
                await load(QueryKey("users", 1), "/users/1", [URLQueryItem(name: "token", value: "sesame")]) == "Ann")
            #expect(await load(QueryKey("users", 2), "/users/2") == nil)
            #expect(await load(QueryKey("tokens", "sesame"), "/tokens/sesame") == "Ann")
            _ = try await dispatcher.string(from: .get("/health"))
            // Requests of other tests, which run at the same time, are reported too.
            func own(_ message: SocketClient.Message) -> [[String: Any]] {
                let requests = message["requests"] as? [[String: Any]] ?? []
                let address = server.url().absoluteString
                return requests.filter {
                    ($0["url"] as? String)?.hasPrefix(address) == true || $0["url"] as? String == "hidden"
                }
            }
            var ended: [[String: Any]] = []
            while ended.count < 4 {
                // A message may repeat a request that an earlier one has shown.
                for request in own(try await socket.next("requests")) where request["ms"] is Double {
                    ended.removeAll { $0["id"] as? Int == request["id"] as? Int }
                    ended.append(request)
                }
                ended.sort { ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0) }
            }
            #expect(ended.map { $0["key"] as? String ?? "none" }.prefix(2) == ["users/1", "users/2"])
            #expect(ended.map { $0["status"] as? Int } == [200, 503, 200, 200])
            #expect(ended.first?["bytes"] as? Int == 3)
            #expect((ended.first?["url"] as? String)?.hasSuffix("/users/1?token=<redacted>") == true)
            #expect((ended.first?["curl"] as? String)?.contains("Authorization: <redacted>") == true)
            #expect(ended[2]["url"] as? String == "hidden")
            #expect(ended[3]["key"] is NSNull)
            #expect(!"\(ended)\(socket.messages)".contains("sesame"))
            // A browser that comes later receives them too.
            let late = try await watch(devtools)
            #expect(own(try await late.next("requests")).count == 4)
            await devtools.stop()
        }

        // MARK: Safety

        @Test("hidden keys and types show neither text nor values", .rule("V3"))
        func hidden() async throws {
            struct Secret: Codable, Sendable { var text = "sesame" }
            try client.set("sesame", for: .value(QueryKey("tokens", "sesame")))
            try client.set(Secret(), for: .value("vault"))
            let devtools = try await start {
                $0.hidesKey = { $0.isWithin("tokens") }
                $0.hiddenTypes = [Secret.self]
            }
            let socket = try await watch(devtools)
            let message = try await socket.next("entries")
            let all = rows(message)
            let token = try #require(all.first { ($0["key"] as? String)?.hasPrefix("#") == true })
            #expect(all.allSatisfy { $0["isPrivate"] as? Bool == true })
            for key in ["vault", token["key"] as? String ?? ""] {
                try socket.send(["type": "open", "client": 1, "key": key])
                let entry = try await socket.next("entry") { $0["key"] as? String == key }
                #expect(entry["detail"] is [String: Any])
                #expect(!"\(entry)".contains("sesame"))
            }
            #expect(!"\(message)\(socket.messages)".contains("sesame"))
            await devtools.stop()
        }

        @Test(
            "values of hidden types are hidden wherever they are, and texts of hidden keys in errors too", .rule("V3"))
        func hiddenParts() async throws {
            struct Secret: Codable, Hashable, Sendable { var text = "sesame" }
            struct Safe: Codable, Sendable { var (name, secret) = ("safe", Secret()) }
            try client.set([Secret()], for: .value("list"))
            try client.set(Secret?.some(Secret()), for: .value("optional"))
            try client.set(Safe(), for: .value("safe"))
            try client.set([Secret(): 1], for: .value("counts"))
            try client.set("plain", for: .value("plain"))
            let token = QueryKey("tokens", "sesame")
            try client.set("x", for: .value(token))
            let devtools = try await start {
                $0.hidesKey = { $0.isWithin("tokens") }
                $0.hiddenTypes = [Secret.self]
            }
            let socket = try await watch(devtools)
            _ = try await socket.next("outbox")
            for key in ["list", "optional", "safe", "counts"] {
                try socket.send(["type": "open", "client": 1, "key": key])
                let entry = try await socket.next("entry") { $0["key"] as? String == key }
                let detail = try #require(entry["detail"] as? [String: Any])
                #expect("\(detail)".contains("hidden") && !"\(detail)".contains("sesame"))
                #expect(detail["isEditable"] as? Bool == false)
                #expect(!(detail["json"] is String))
            }
            try socket.send(["type": "open", "client": 1, "key": "plain"])
            let plain = try await socket.next("entry") { $0["key"] as? String == "plain" }
            #expect((plain["detail"] as? [String: Any])?["json"] as? String == "\"plain\"")
            #expect(throws: QueryError.self) { try client.set(1, for: .value(token)) }
            let failing = QueryDefinition<Int>("other") { _ in throw QueryError.noFetcher(key: token) }
            await #expect(throws: QueryError.self) { try await client.fetch(failing) }
            let events = try await socket.next("events") { "\($0)".contains("failed") }
            try socket.send(["type": "open", "client": 1, "key": "other"])
            let other = try await socket.next("entry") { $0["key"] as? String == "other" }
            #expect("\(events)".contains("#") && "\(other)".contains("#"))
            #expect(!"\(events)\(other)\(socket.messages)".contains("sesame"))
            await devtools.stop()
        }

        @Test("items of hidden types are only counted, and a hidden key that one came from stays hidden", .rule("V3"))
        func hiddenItems() async throws {
            struct Card: Identifiable, Codable, Sendable, Equatable { var id = "sesame" }
            try client.set([Card()], for: QueryDefinition<[Card]>.value("cards").contains(each: Card.self))
            try client.set([Member(id: 1)], for: Self.members)
            let devtools = try await start {
                $0.hidesKey = { $0.isWithin("tokens") }
                $0.hiddenTypes = [Card.self]
            }
            let socket = try await watch(devtools)
            _ = try await socket.next("outbox")
            try socket.send(["type": "open", "client": 1, "key": "cards"])
            let cards = try await socket.next("entry")
            let kind = try #require(((cards["detail"] as? [String: Any])?["items"] as? [[String: Any]])?.first)
            #expect(kind["isPrivate"] as? Bool == true)
            #expect(kind["count"] as? Int == 1)
            #expect((kind["items"] as? [Any])?.isEmpty == true)
            try select("Card", "sesame", in: "cards", socket)
            try socket.send(["type": "open", "client": 1, "key": "members"])
            _ = try await socket.next("entry")
            #expect(!socket.messages.contains { $0["type"] as? String == "item" })
            try select("Member", "1", in: "members", socket)
            try client.set(
                Member(id: 1, name: "Bea"),
                for: QueryDefinition<Member>.value(QueryKey("tokens", "sesame")).contains(\.self))
            let item = try await socket.next("item") { $0["count"] as? Int == 2 }
            let origin = try #require((item["origin"] as? [String: Any])?["key"] as? String)
            #expect(origin.hasPrefix("#"))
            let entry = try await socket.next("entry") { reasons(of: $0).contains { $0.contains("newer item") } }
            let events = try await socket.next("events") { "\($0)".contains("newer item in \(origin)") }
            #expect(!"\(cards)\(item)\(entry)\(events)\(socket.messages)".contains("sesame"))
            await devtools.stop()
        }

        @Test(
            "who comes by another name, from another page, or without the token is refused", .rule("V3"),
            arguments: [
                ["Host": "evil.example:80"], ["Host": "127.0.0.1:1"], ["Origin": "http://evil.example"],
                ["Origin": "null"], ["token": "0"], ["token": ""],
            ])
        func refused(_ wrong: [String: String]) async throws {
            let devtools = try await start()
            var headers = wrong
            let token: String?? = headers.removeValue(forKey: "token").map { $0.isEmpty ? nil : $0 }
            let refusal = await #expect(throws: SocketClient.Refused.self) {
                _ = try await SocketClient.connect(
                    devtools.address, token: token, headers: headers)
            }
            #expect(refusal?.status == 403)
            await devtools.stop()
        }

        @Test(
            "the page is served with headers that let it run only its own scripts, and only by this machine's names",
            .rule("V3")
        )
        func page() async throws {
            let devtools = try await start()
            let page = try await RawRequest("GET / HTTP/1.1", to: devtools.address)
            #expect(page.head.hasPrefix("HTTP/1.1 200"))
            #expect(page.head.contains("content-security-policy: default-src 'none'"))
            #expect(page.body.lowercased().contains("<!doctype html>"))
            #expect(try await RawRequest("GET /style.css HTTP/1.1", to: devtools.address).head.contains("text/css"))
            #expect(try await RawRequest("GET /../Package.swift HTTP/1.1", to: devtools.address).head.contains(" 404 "))
            #expect(try await RawRequest("POST / HTTP/1.1", to: devtools.address).head.contains(" 405 "))
            #expect(
                try await RawRequest("GET / HTTP/1.1", host: "evil.example", to: devtools.address).head.contains(
                    " 403 "))
            await devtools.stop()
        }

        @Test("nonsense gets an answer or ends the connection, and harms nobody else", .rule("V3"))
        func nonsense() async throws {
            let devtools = try await start()
            let socket = try await watch(devtools)
            _ = try await socket.next("state")
            for text in [
                "", "{", "[]", "{\"type\":5}", "{\"type\":\"do\",\"client\":99}", "{\"type\":\"dance\",\"client\":1}",
            ] {
                socket.send(bytes: Data(text.utf8))
                _ = try await socket.next("problem")
            }
            let other = try await watch(devtools)
            other.send(bytes: Data(repeating: 0x20, count: 2 << 20))
            await other.closed()
            try client.set(User(name: "Ann"), for: user(1))
            _ = try await row("users/1", in: socket)
            await devtools.stop()
        }

        @Test("a thousand connections leave the page usable", .rule("V3"))
        func manyConnections() async throws {
            let devtools = try await start()
            let socket = try await watch(devtools)
            var others: [RawConnection] = []
            for _ in 0..<1000 { if let one = try? await RawConnection(devtools.address) { others.append(one) } }
            try client.set(User(name: "Ann"), for: user(1))
            _ = try await row("users/1", in: socket)
            for one in others { await one.close() }
            await until { (try? await watch(devtools)) != nil }
            await devtools.stop()
        }

        @Test(
            "a browser that does not read is sent little, slows nobody, and receives everything anew once it reads",
            .rule("V4"))
        func slowBrowser() async throws {
            for id in 0..<5000 { try client.set(User(name: String(repeating: "x", count: 50)), for: user(id)) }
            let devtools = try await start()
            let socket = try await SocketClient.connect(devtools.address, readsAtOnce: false)
            try socket.send(["type": "watch", "client": 1])
            for round in 0..<20 {
                for id in 0..<5000 { try client.set(User(name: "\(round)"), for: user(id)) }
                try await Task.sleep(for: .milliseconds(20))
            }
            socket.read()
            var seen: Set<Int> = []
            while seen.count < 5000 {
                for row in rows(try await socket.next("entries")) { seen.insert(row["id"] as? Int ?? 0) }
            }
            _ = try await socket.next("events") { ($0["dropped"] as? Int ?? 0) > 0 }
            await devtools.stop()
        }

        @Test(
            "a browser that was too slow for a change of the outbox learns of it, and of all that happened before it came",
            .rule("V4")
        )
        func slowForOutbox() async throws {
            struct Errand: DurableMutation {
                var text: String
                func run(_ context: MutationContext) async throws -> Int { 0 }
            }
            let client = QueryClient(
                outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Errand.self]),
                environment: QueryEnvironment(connectivity: EnvironmentSignal(false)))
            var options = Devtools.Options()
            (options.announce, options.allowsReleaseBuilds) = ({ _ in }, true)
            let devtools = try await Devtools.start(client, named: "test", options: options)
            let text = String(repeating: "x", count: 1000)
            for id in 0..<12_000 { try client.set(text, for: .value(QueryKey("texts", text, id))) }
            let socket = try await SocketClient.connect(devtools.address, readsAtOnce: false)
            try socket.send(["type": "watch", "client": 1])
            try await Task.sleep(for: .milliseconds(1500))
            try await client.enqueue(Errand(text: "milk"))
            try await Task.sleep(for: .milliseconds(300))
            socket.read()
            let events = try await socket.next("events")
            #expect((events["events"] as? [Any])?.count == 5000)
            #expect(events["dropped"] as? Int == 0)
            _ = try await socket.next("outbox") { "\($0)".contains("Errand") }
            await devtools.stop()
        }

        @Test("devtools that are stopped or released free the port and the client", .rule("V4"))
        func freed() async throws {
            weak var freed: Devtools?
            var port = 0
            do {
                let devtools = try await start()
                freed = devtools
                port = devtools.address.port ?? 0
                await devtools.stop()
            }
            #expect(freed == nil)
            let again = try await start { $0.port = port }
            #expect(again.address.port == port)
            await #expect(throws: DevtoolsError.self) { _ = try await start { $0.port = port } }
            await again.stop()
        }
    }
#endif
