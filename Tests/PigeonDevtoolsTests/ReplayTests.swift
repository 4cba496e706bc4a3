#if Devtools
    import Foundation
    import PigeonBase
    import PigeonCore
    import PigeonDevtools
    import PigeonTesting
    import TestSupport
    import Testing

    @Suite("a recording is replayed", .rule("V7"), .timeLimit(.minutes(1)))
    struct ReplayTests {
        /// A lab whose client a browser records, as the page does.
        private final class Studio {
            let lab: QueryLab
            let devtools: Devtools
            private let socket: SocketClient
            private var lines: [String] = []

            init(_ lab: QueryLab = QueryLab()) async throws {
                self.lab = lab
                var options = Devtools.Options()
                options.announce = { _ in }
                options.allowsReleaseBuilds = true
                devtools = try await Devtools.start(lab.client, options: options)
                socket = try await SocketClient.connect(devtools.address)
                _ = try await socket.next("hello")
            }

            /// Begins to record. Later times of the page are those of the lab.
            func begin() async throws {
                try socket.send(["type": "watch", "client": 1])
                try await pause()
            }

            /// Lets the browser learn of what has happened.
            func pause() async throws {
                // Events come within a tenth of a second, and after them the rows of their entries. A state comes last.
                for _ in 0..<2 { try await socket.arrival(of: "state") }
                let now = Double(lab.clock.now().nanoseconds) / 1e6
                for message in socket.takeAll() {
                    let json = try JSONSerialization.data(withJSONObject: ["at": now, "message": message])
                    lines.append(String(decoding: json, as: UTF8.self))
                }
            }

            func save() async throws -> URL {
                try await pause()
                await devtools.stop()
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pigeon")
                let head = #"{"type":"recording","version":1}"#
                try Data(([head] + lines).joined(separator: "\n").utf8).write(to: file)
                return file
            }
        }

        private func users(_ fetcher: ScriptedFetcher<String>, _ id: Int = 1) -> QueryDefinition<String> {
            QueryDefinition("users", id, fetch: fetcher.fetch).staleAfter(.seconds(30))
        }

        private func replay(_ file: URL) throws -> Replay {
            defer { try? FileManager.default.removeItem(at: file) }
            return try Simulation.replay(file)
        }

        @Test("fetches, polls, retries and staleness happen again", .rule("V7"))
        func fetches() async throws {
            let studio = try await Studio()
            let lab = studio.lab
            let fetcher = lab.fetcher(returning: String.self)
            let old = lab.client.observe(users(fetcher, 7))
            fetcher.succeed(with: "Eva")
            lab.advance(by: .seconds(10))
            try await studio.begin()
            let observer = lab.client.observe(users(fetcher).retry(.standard).poll(every: .seconds(60)))
            try await studio.pause()
            fetcher.fail(with: URLError(.timedOut))
            lab.advance(by: .seconds(5))
            fetcher.succeed(with: "Ann")
            try await studio.pause()
            lab.advance(by: .seconds(70))
            fetcher.succeed(with: "Bea")
            lab.client.invalidateWithoutWaiting("users")
            lab.settle()
            fetcher.succeed(with: "Cleo")
            try await studio.pause()
            lab.setOnline(false)
            let call = lab.start { [client = lab.client, users] in try await client.refetch(users(fetcher, 2)) }
            try await studio.pause()
            lab.advance(by: .seconds(3))
            lab.setOnline(true)
            fetcher.succeed(with: "Dora")
            fetcher.succeed(with: "Dora")
            fetcher.succeed(with: "Dora")
            lab.advance(by: .seconds(40))
            try await studio.pause()
            lab.client.remove("users/2")
            withExtendedLifetime((observer, old, call)) {}
            let recorded = lab.log.count
            let replay = try replay(try await studio.save())
            #expect(replay.differences.isEmpty, "\(replay)\n\(replay.log.joined(separator: "\n"))")
            #expect(replay.gaps.isEmpty)
            #expect(replay.recordedCount > 20 && replay.recordedCount < recorded)
        }

        @Test("mutations, their changes, and what they invalidate happen again", .rule("V7"))
        func mutations() async throws {
            let studio = try await Studio()
            let lab = studio.lab
            let (fetcher, server) = (lab.fetcher(returning: String.self), lab.fetcher(returning: Void.self))
            try await studio.begin()
            let observer = lab.client.observe(users(fetcher))
            fetcher.succeed(with: "Ann")
            for fails in [false, true] {
                let definition = users(fetcher)
                let mutation = lab.start { [client = lab.client] in
                    try await client.mutate(
                        "Rename", optimistic: { $0.update(definition) { $0 += "!" } }, invalidates: ["users"]
                    ) { _ in try await server.call() }
                }
                try await studio.pause()
                lab.advance(by: .seconds(1))
                if fails { server.fail(with: URLError(.badServerResponse)) } else { server.succeed() }
                if !fails { fetcher.succeed(with: "Ann!") }
                try await studio.pause()
                withExtendedLifetime(mutation) {}
            }
            try lab.client.set("Bea", for: users(fetcher))
            withExtendedLifetime(observer) {}
            let replay = try replay(try await studio.save())
            #expect(replay.differences.isEmpty, "\(replay)\n\(replay.log.joined(separator: "\n"))")
            #expect(replay.log.contains("users/1 changed optimistically"))
            #expect(replay.log.contains("users/1 rolled back"))
            #expect(replay.gaps.isEmpty)
        }

        @Test("pages happen again", .rule("V7"))
        func pages() async throws {
            let studio = try await Studio()
            let lab = studio.lab
            let pages = lab.fetcher(returning: [Int].self)
            let list = QueryDefinition<Pages<[Int], Int>>.pages("posts", first: 1) { page, _ in
                try await pages.call(page)
            } next: {
                $1 + 1
            }
            try await studio.begin()
            let observer = lab.client.observe(list)
            pages.succeed(with: [1])
            try await studio.pause()
            lab.advance(by: .seconds(1))
            let next = lab.start { [client = lab.client] in try await client.fetchNextPage(of: list) }
            pages.fail(with: URLError(.timedOut))
            let again = lab.start { [client = lab.client] in try await client.fetchNextPage(of: list) }
            pages.succeed(with: [2])
            try await studio.pause()
            lab.advance(by: .seconds(1))
            lab.client.invalidateWithoutWaiting("posts")
            lab.settle()
            pages.succeed(with: [1, 1])
            pages.succeed(with: [2, 2])
            withExtendedLifetime((observer, next, again)) {}
            let replay = try replay(try await studio.save())
            #expect(replay.differences.isEmpty, "\(replay)\n\(replay.log.joined(separator: "\n"))")
            #expect(replay.log.contains("posts next page"))
        }

        private struct Person: Identifiable, Codable, Equatable, Sendable {
            let id: Int
            var name: String
        }

        @Test("newer items of other entries come again, and leave their entries as old as they were", .rule("V7"))
        func newerItems() async throws {
            let studio = try await Studio()
            let lab = studio.lab
            let list = lab.fetcher(returning: [Person].self)
            let detail = lab.fetcher(returning: Person.self)
            let people = QueryDefinition("people", fetch: list.fetch).contains(each: Person.self)
                .staleAfter(.seconds(30))
            let person = QueryDefinition("people", 1, fetch: detail.fetch).contains(\.self)
            try await studio.begin()
            let observer = lab.client.observe(people)
            list.succeed(with: [Person(id: 1, name: "Ann")])
            try await studio.pause()
            lab.advance(by: .seconds(20))
            let screen = lab.client.observe(person)
            detail.succeed(with: Person(id: 1, name: "Bea"))
            try await studio.pause()
            #expect(observer.snapshot.value?.first?.name == "Bea")
            lab.advance(by: .seconds(20))
            withExtendedLifetime((observer, screen)) {}
            let replay = try replay(try await studio.save())
            #expect(replay.differences.isEmpty, "\(replay)\n\(replay.log.joined(separator: "\n"))")
            #expect(replay.log.contains("people written (newer item in people/1)"))
            #expect(replay.log.contains("people stale"))
            #expect(replay.gaps.isEmpty)
        }

        @Test("values from a cache, hidden keys, the background and abandoned fetches happen again", .rule("V7"))
        func surroundings() async throws {
            let cache = InMemoryQueryCache()
            let first = QueryLab(cache: cache)
            try first.client.set("Ann", for: .value("users/1").persisted())
            await first.client.flush()
            let studio = try await Studio(QueryLab(cache: cache))
            let lab = studio.lab
            let fetcher = lab.fetcher(returning: String.self)
            try await studio.begin()
            lab.advance(by: .seconds(60))
            let observer = lab.client.observe(users(fetcher).persisted())
            try await studio.pause()
            fetcher.succeed(with: "Bea")
            lab.setActive(false)
            try await studio.pause()
            lab.advance(by: .seconds(60))
            lab.setActive(true)
            try await studio.pause()
            fetcher.succeed(with: "Cleo")
            var other: QueryObserver<String>? = lab.client.observe(users(fetcher, 2).whenAbandoned(.cancel))
            try await studio.pause()
            lab.advance(by: .seconds(1))
            other?.cancel()
            other = nil
            try await studio.pause()
            withExtendedLifetime(observer) {}
            let replay = try replay(try await studio.save())
            #expect(replay.differences.isEmpty, "\(replay)\n\(replay.log.joined(separator: "\n"))")
            #expect(replay.log.contains("users/1 hydrated"))
            #expect(replay.log.contains("users/2 cancelled (abandoned)"))
        }

        @Test("a replay with other options tells what would have been different", .rule("V7"))
        func otherOptions() async throws {
            let studio = try await Studio()
            let lab = studio.lab
            let fetcher = lab.fetcher(returning: String.self)
            try await studio.begin()
            let observer = lab.client.observe(users(fetcher))
            fetcher.succeed(with: "Ann")
            try await studio.pause()
            lab.advance(by: .seconds(40))
            let second = lab.client.observe(users(fetcher))
            fetcher.succeed(with: "Bea")
            try await studio.pause()
            withExtendedLifetime((observer, second)) {}
            let file = try await studio.save()
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Simulation.replay(file).differences.isEmpty)
            let calmer = try Simulation.replay(file) { key, options in
                if key.isWithin("users") { options.staleAfter = .minutes(5) }
            }
            let texts = calmer.differences.map(\.description)
            #expect(texts.contains { $0.hasSuffix("users/1 stale, in the recording only") }, "\(calmer)")
            #expect(texts.contains { $0.hasSuffix("users/1 fetching (observed), in the recording only") }, "\(calmer)")
        }

        @Test(
            "a file that is no recording is refused with a reason", .rule("V7"),
            arguments: [
                ("", ReplayError.noRecording), ("{}", .noRecording),
                (#"{"type":"recording","version":2}"#, .otherVersion(2)),
                (#"{"type":"recording","version":1}"#, .empty),
                (
                    #"{"type":"recording","version":1}"# + "\n" + #"{"at":1,"message":{"type":"state","now":1}}"#,
                    .damaged(line: 2, reason: "message.isOnline is missing")
                ),
            ])
        func badFile(text: String, error: ReplayError) throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pigeon")
            try Data(text.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(throws: error) { try Simulation.replay(file) }
        }

        @Test("a damaged recording ends no program, whatever its numbers are", .rule("V7"))
        func hostileFile() throws {
            let causes = (0..<5000).map { _ in #""invalidated by x""# }.joined(separator: ",")
            let row =
                #"{"id":1,"key":"a","path":[],"type":"T","state":"stale","activity":"fetching","observers":-9,"#
                + #""disabled":7,"isOptimistic":true,"tags":[],"updatedAt":-1e300,"isPrivate":false,"options":1,"#
                + #""freshForMs":1e300}"#
            let event =
                #"{"n":9,"t":1e300,"key":"b","fetch":1,"kind":"retrying","text":"","causes":[\#(causes)],"ms":1e300}"#
            let lines = [
                #"{"type":"recording","version":1,"client":{"id":1}}"#,
                #"{"at":1e300,"message":{"type":"state","client":1,"now":-1e300,"isOnline":true,"isActive":true}}"#,
                #"{"at":0,"message":{"type":"entries","client":1,"more":false,"removed":[],"rows":[\#(row)]}}"#,
                #"{"at":0,"message":{"type":"outbox","client":1}}"#,
                // Of another client.
                #"{"at":0,"message":{"type":"events","client":2,"dropped":0,"events":[\#(event)]}}"#,
                #"{"at":0,"message":{"type":"events","client":1,"dropped":9223372036854775807,"events":[\#(event)]}}"#,
                #"{"at":0,"message":{"type":"events","client":1,"dropped":9223372036854775807,"events":[]}}"#,
            ]
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pigeon")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            let replay = try replay(file)
            #expect(replay.recordedCount == 1)
            #expect(replay.gaps.contains { $0.hasPrefix("The page missed ") })
        }
    }
#endif
