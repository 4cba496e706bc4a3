#if Devtools
    import PigeonCore
    import PigeonDevtools
    import PigeonTesting
    import TestSupport
    import Testing

    @Suite("The counters of the devtools", .timeLimit(.minutes(1)))
    struct CounterTests {
        private let lab = QueryLab()

        @Test("a caller has joined once if its options are ignored, and not if it begins another fetch", .rule("V1"))
        func joins() async throws {
            var options = Devtools.Options()
            options.announce = { _ in }
            options.allowsReleaseBuilds = true
            let devtools = try await Devtools.start(lab.client, options: options)
            let server = lab.fetcher(returning: String.self)
            let user = QueryDefinition("users", 1, fetch: server.fetch)
            let local = user.networkMode(.always)
            for definition in [user, local] {
                _ = lab.start { [client = lab.client] in try await client.fetch(definition) }
            }
            server.succeed(with: "Ann")
            for definition in [user, local] {
                _ = lab.start { [client = lab.client] in try await client.refetch(definition) }
            }
            let ignored = lab.events.count { if case .optionsIgnored = $0.kind { true } else { false } }
            #expect(ignored == 2)
            let socket = try await SocketClient.connect(devtools.address)
            try socket.send(["type": "watch", "client": 1])
            let counters = try await socket.next("state")["counters"] as? [String: Any]
            #expect(counters?["joined"] as? Int == 1)
            #expect(counters?["fetches"] as? Int == 3)
            await devtools.stop()
        }
    }
#endif
