#if Devtools
    import Foundation
    import PigeonCore
    import PigeonDevtools
    import PigeonTesting
    import Testing

    @Suite("Article: Look inside")
    struct LookInsideTests {
        private struct Card: Sendable {}

        @Test("the devtools start when the environment asks for it, and only then")
        func environment() async throws {
            #expect(try await Snippets.start(QueryClient()) == nil)
        }

        @Test("hidden keys and types are named in the options")
        func options() async throws {
            let devtools = try await Snippets.hide(QueryClient())
            #expect(devtools.address.host == "127.0.0.1")
            await devtools.stop()
        }

        @Test("a recording is replayed, and tells what it lacks")
        func replay() throws {
            let lines = [
                #"{"type":"recording","version":1}"#,
                #"{"at":0,"message":{"type":"state","now":0,"isOnline":true,"isActive":true}}"#,
                #"{"at":0,"message":{"type":"entries","more":false,"removed":[],"rows":[]}}"#,
                #"{"at":0,"message":{"type":"outbox"}}"#,
                #"{"at":5,"message":{"type":"events","dropped":0,"events":["#
                    + #"{"n":1,"t":4,"key":"user","kind":"written","text":"","causes":["written"]}]}}"#,
            ]
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pigeon")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Snippets.replay(file).gaps.count == 1)
            try Snippets.replayCalmly(file)
        }

        private enum Snippets {
            static func replay(_ file: URL) throws -> Replay {
                let replay = try Simulation.replay(file)
                #expect(replay.differences.isEmpty, "\(replay)")
                return replay
            }

            static func replayCalmly(_ file: URL) throws {
                let calmer = try Simulation.replay(file) { key, options in
                    if key.isWithin("users") { options.staleAfter = .minutes(5) }
                }
                print(calmer)
            }

            static func start(_ client: QueryClient) async throws -> URL? {
                let devtools = try await Devtools.startIfRequested(client, named: "shop")
                return devtools?.address
            }

            static func hide(_ client: QueryClient) async throws -> Devtools {
                var options = Devtools.Options()
                options.hidesKey = { $0.isWithin("session") }
                options.hiddenTypes = [Card.self]
                let devtools = try await Devtools.start(client, options: options)
                return devtools
            }
        }
    }
#endif
