#if Server
    internal import PigeonBase
    public import PigeonCore
    public import Tracing

    extension QueryClient {
        /// Traces the client's fetches, until the subscription ends.
        ///
        /// ```swift
        /// InstrumentationSystem.bootstrap(tracer)
        /// let tracing = client.trace()
        /// ```
        ///
        /// A fetch is a span, from its first attempt to its end, below the span of the caller who starts it. It is named
        /// `fetch` and the first component of its key, and has the attributes `pigeon.key` and `pigeon.cause`. Requests
        /// that its fetcher sends are below it. Each caller who joins the fetch, and is traced, is a link of the span. An
        /// attempt that is retried is an event, and an error of the span is the name of its type. Requests of a resource of
        /// PigeonREST, which are sent without a task of the fetch, are below no span.
        ///
        /// - Parameter tracer: The tracer. `nil` for the one of the program.
        public func trace(with tracer: (any Tracer)? = nil) -> QuerySubscription {
            let spans = FetchSpans(tracer: tracer)
            beginTracing(spans)
            let events = onEvent { spans.receive($0) }
            return QuerySubscription { [weak self] in
                self?.endTracing(spans)
                events.cancel()
                spans.endAll()
            }
        }
    }

    private final class FetchSpans: FetchTracing {
        private struct ID: Hashable {
            let key: QueryKey
            let number: UInt64
        }

        private let tracer: (any Tracer)?
        private let open = Locked<[ID: (span: any Tracing.Span, page: PageDirection?)]>([:])

        init(tracer: (any Tracer)?) {
            self.tracer = tracer
        }

        func begin(_ key: QueryKey, number: UInt64, page: PageDirection?, cause: Cause) -> any FetchTrace {
            let name = "fetch \(key.family)"
            let span = tracer.map { $0.startAnySpan(name) } ?? startSpan(name)
            span.updateAttributes { attributes in
                attributes["pigeon.key"] = key.description
                attributes["pigeon.cause"] = cause.description
                if let page { attributes["pigeon.page"] = "\(page)" }
            }
            open.withLock { $0[ID(key: key, number: number)] = (span, page) }
            return Trace(context: span.context)
        }

        func join(_ key: QueryKey, number: UInt64) {
            guard let caller = ServiceContext.current else { return }
            open.withLock { $0[ID(key: key, number: number)] }?.span.addLink(SpanLink(context: caller, attributes: [:]))
        }

        func end(_ key: QueryKey, number: UInt64) {
            end(ID(key: key, number: number), nil)
        }

        func receive(_ event: QueryEvent) {
            guard let key = event.key else { return }
            if case .removed = event.kind { return end(where: { id, _ in id.key == key }) }
            guard let number = event.fetchNumber else { return }
            let id = ID(key: key, number: number)
            switch event.kind {
            case .loadingPage(let direction, _):
                // A refresh has postponed the page load, which continues under another number.
                end(where: { $0.key == key && $0.number != number && $1 == direction })
            case .retrying(let delay, _):
                open.withLock { $0[id] }?.span.addEvent(
                    SpanEvent(
                        name: "retry",
                        attributes: ["error.type": "\(event.errorType ?? "")", "pigeon.delay": "\(delay.brief)"]))
            case .failed, .pageFailed, .cancelled, .dropped, .fresh, .notModified, .page: end(id, event.errorType)
            default: return
            }
        }

        private func end(_ id: ID, _ error: String?) {
            guard let span = open.withLock({ $0.removeValue(forKey: id) })?.span else { return }
            if let error {
                span.attributes["error.type"] = error
                span.setStatus(SpanStatus(code: .error, message: error))
            }
            span.end()
        }

        private func end(where isMeant: (ID, PageDirection?) -> Bool) {
            let ids = open.withLock { open in open.filter { isMeant($0.key, $0.value.page) }.map(\.key) }
            for id in ids { end(id, nil) }
        }

        func endAll() {
            let left = open.withLock { open in
                defer { open = [:] }
                return open
            }
            for (span, _) in left.values { span.end() }
        }
    }

    private struct Trace: FetchTrace {
        let context: ServiceContext

        func run<Outcome: Sendable>(_ attempt: @Sendable () async -> Outcome) async -> Outcome {
            await ServiceContext.$current.withValue(context, operation: attempt)
        }
    }
#endif
