#if Server
    import InMemoryTracing
    import PigeonCore
    import PigeonServer
    import PigeonTesting
    import TestSupport
    import Testing
    import Tracing

    @Suite("Traces")
    struct TracingTests {
        private struct Down: Error {}

        private let lab = QueryLab()
        private let tracer = InMemoryTracer()
        private let server: ScriptedFetcher<String>

        init() {
            server = lab.fetcher(returning: String.self)
        }

        private func fetch(_ id: Int = 1, retries: Int = 0, by name: String? = nil) -> LabTask<String> {
            let policy = RetryPolicy(limit: retries, hasJitter: false, shouldRetry: { _ in true })
            let user = QueryDefinition<String>("users", id, fetch: server.fetch).retry(policy)
            return lab.start { [client = lab.client, tracer] in
                guard let name else { return try await client.fetch(user) }
                let span = tracer.startSpan(name)
                defer { span.end() }
                return try await ServiceContext.$current.withValue(span.context) { try await client.fetch(user) }
            }
        }

        @Test(
            "a fetch is a span below its caller's, with the callers who join as links, and its retries as events",
            .rule("A83"))
        func spans() throws {
            let tracing = lab.client.trace(with: tracer)
            defer { tracing.cancel() }
            _ = (fetch(retries: 1, by: "first"), fetch(by: "second"), fetch())
            server.fail(with: Down())
            lab.advance(by: .seconds(1))
            #expect(tracer.finishedSpans.isEmpty)
            server.succeed(with: "Ann")
            let spans = tracer.finishedSpans
            let span = try #require(spans.first { $0.operationName == "fetch users" })
            let (first, second) = (
                spans.first { $0.operationName == "first" }, spans.first { $0.operationName == "second" }
            )
            #expect(span.parentSpanID == first?.spanID)
            #expect(span.links.map(\.context.inMemorySpanContext?.spanID) == [second?.spanID])
            #expect(span.attributes["pigeon.key"]?.toSpanAttribute() == .string("users/1"))
            #expect(span.attributes["pigeon.cause"]?.toSpanAttribute() == .string("requested"))
            #expect(span.events.map(\.name) == ["retry"])
            #expect(span.status == nil)
        }

        @Test(
            "a failure is the status of its span, without its content, and a cancelled fetch ends its span",
            .rule("A83"))
        func ends() throws {
            let tracing = lab.client.trace(with: tracer)
            defer { tracing.cancel() }
            _ = (fetch(1), fetch(2))
            server.fail(with: Down())
            lab.client.cancel(.all)
            let spans = tracer.finishedSpans
            #expect(spans.count == 2)
            #expect(spans[0].status == SpanStatus(code: .error, message: "Down"))
            #expect(spans[0].attributes["error.type"]?.toSpanAttribute() == .string("Down"))
            #expect(spans[1].status == nil && tracer.activeSpans.isEmpty)
        }

        @Test("what the fetcher does is below the span of its fetch, also in a retry", .rule("A83"))
        func below() throws {
            let tracing = lab.client.trace(with: tracer)
            defer { tracing.cancel() }
            let seen = Recorder<String?>()
            let query = QueryDefinition<Int>("n") { context in
                seen.append(ServiceContext.current?.inMemorySpanContext?.spanID)
                guard context.attempt == 2 else { throw Down() }
                return 1
            }.retry(RetryPolicy(limit: 1, hasJitter: false, shouldRetry: { _ in true }))
            let task = lab.start { [client = lab.client] in try await client.fetch(query) }
            lab.advance(by: .seconds(1))
            #expect(task.value == 1)
            let span = try #require(tracer.finishedSpans.first)
            #expect(seen.all == [span.spanID, span.spanID])
        }

        @Test("the end of an older tracing does not end a newer one", .rule("A83"))
        func newer() {
            let older = lab.client.trace(with: tracer)
            let newer = lab.client.trace(with: tracer)
            defer { newer.cancel() }
            older.cancel()
            _ = fetch(1)
            #expect(tracer.activeSpans.count == 1)
        }

        @Test("after its end, nothing is traced, and no span is left open", .rule("A83"))
        func cancelling() {
            let tracing = lab.client.trace(with: tracer)
            _ = fetch(1)
            tracing.cancel()
            #expect(tracer.activeSpans.isEmpty && tracer.finishedSpans.count == 1)
            server.succeed(with: "Ann")
            _ = fetch(2)
            #expect(tracer.activeSpans.isEmpty)
        }
    }
#endif
