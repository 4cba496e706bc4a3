#if Devtools
    import Foundation
    import PigeonCore
    import PigeonDevtools
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

        private enum Snippets {
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
