#if Server
    import InMemoryLogging
    import Logging
    import PigeonCore
    import PigeonServer
    import PigeonTesting
    import TestSupport
    import Testing

    @Suite("Logs")
    struct LoggingTests {
        private struct Secret: Error, CustomStringConvertible { var description: String { "token 12345" } }

        private let lab = QueryLab()
        private let handler = InMemoryLogHandler()

        private func logger(_ level: Logger.Level) -> Logger {
            var logger = Logger(label: "test") { [handler] _ in handler }
            logger.logLevel = level
            return logger
        }

        @Test(
            "a line says what happened and why, with the key and the name of an error as metadata, and no content",
            .rule("A81"))
        func lines() throws {
            let logging = lab.client.log(to: logger(.trace))
            let server = lab.fetcher(returning: String.self)
            let user = QueryDefinition<String>("users", 42, fetch: server.fetch)
                .retry(RetryPolicy(limit: 1, hasJitter: false, shouldRetry: { _ in true }))
            let task = lab.start { [client = lab.client] in try await client.fetch(user) }
            server.fail(with: Secret())
            lab.advance(by: .seconds(1))
            server.fail(with: Secret())
            #expect(task.error is Secret)
            let entries = handler.entries
            #expect(
                entries.map { "\($0.level) \($0.message)" } == [
                    "debug users/42 fetching (requested)", "notice users/42 retrying in 1.0 s after Secret",
                    "debug users/42 fetching again (retry 1 after Secret, requested)",
                    "warning users/42 failed: Secret",
                ])
            let last = try #require(entries.last).metadata
            #expect(
                last["pigeon.query"] == "users" && last["pigeon.key"] == "users/42" && last["error.type"] == "Secret")
            #expect(!entries.contains { "\($0)".contains("12345") })
            logging.cancel()
            _ = lab.start { [client = lab.client] in try await client.fetch(user) }
            #expect(handler.entries.count == entries.count)
        }

        @Test("what the logger's level leaves out costs no line", .rule("A81"))
        func levels() {
            let logging = lab.client.log(to: logger(.warning))
            defer { logging.cancel() }
            let server = lab.fetcher(returning: String.self)
            let task = lab.start { [client = lab.client] in
                try await client.fetch(QueryDefinition<String>("users", 1, fetch: server.fetch))
            }
            server.succeed(with: "Ann")
            #expect(task.value == "Ann")
            #expect(handler.entries.isEmpty)
        }
    }
#endif
