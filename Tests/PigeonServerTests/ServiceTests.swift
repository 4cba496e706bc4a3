#if Server
    import InMemoryLogging
    import Logging
    import PigeonCore
    import PigeonServer
    import ServiceLifecycle
    import TestSupport
    import Testing

    @Suite("A client as a service")
    struct ServiceTests {
        private func group(_ client: QueryClient, limit: Duration, _ handler: InMemoryLogHandler) -> ServiceGroup {
            let logger = Logger(label: "test") { _ in handler }
            return ServiceGroup(
                configuration: .init(
                    services: [.init(service: ClientService(client, drainingFor: limit, logger: logger))],
                    logger: logger))
        }

        @Test("at a graceful shutdown, the client is closed once what runs has ended", .rule("A84"))
        func graceful() async throws {
            let (client, gate, handler) = (QueryClient(), Gate(), InMemoryLogHandler())
            let started = Watched(false)
            let fetch = Task {
                try await client.fetch(
                    QueryDefinition<Int>("n") { _ in
                        started.update { $0 = true }
                        await gate.wait()
                        return 1
                    })
            }
            await started.wait { $0 }
            let group = group(client, limit: .seconds(60), handler)
            let running = Task { try await group.run() }
            await group.triggerGracefulShutdown()
            await until { client.isClosed }
            gate.open()
            try await running.value
            #expect(try await fetch.value == 1)
            #expect(!handler.entries.contains { $0.level >= .warning })
        }

        @Test("what does not end in time is cancelled, and said", .rule("A84"))
        func late() async throws {
            let (client, handler) = (QueryClient(), InMemoryLogHandler())
            let started = Watched(false)
            let fetch = Task {
                try await client.fetch(
                    QueryDefinition<Int>("n") { _ in
                        started.update { $0 = true }
                        try await Task.sleep(for: .seconds(600))
                        return 1
                    })
            }
            await started.wait { $0 }
            let group = group(client, limit: .milliseconds(50), handler)
            let running = Task { try await group.run() }
            await group.triggerGracefulShutdown()
            try await running.value
            await #expect(throws: CancellationError.self) { try await fetch.value }
            #expect(
                handler.entries.filter { $0.level == .warning }.map { "\($0.message)" } == [
                    "The client was closed: cancelled 1 fetches and 0 mutations, 0 values were not written"
                ])
        }
    }
#endif
