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
        /// attempt that is retried is an event, and an error of the span is the name of its type.
        ///
        /// - Parameter tracer: The tracer. `nil` for the one of the program.
        public func trace(with tracer: (any Tracer)? = nil) -> QuerySubscription {
            let spans = FetchSpans(tracer: tracer)
            setTracing(spans)
            let events = onEvent { spans.receive($0) }
            return QuerySubscription { [weak self] in
                self?.setTracing(nil)
                events.cancel()
                spans.endAll()
            }
        }
    }

    /// The spans of the fetches that run.
    private final class FetchSpans: FetchTracing {
        private struct ID: Hashable {
            let key: QueryKey
            let number: UInt64
        }

        private let tracer: (any Tracer)?
        private let open = Locked<[ID: any Span]>([:])

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
            open.withLock { $0[ID(key: key, number: number)] = span }
            return Trace(context: span.context)
        }

        func join(_ key: QueryKey, number: UInt64) {
            guard let caller = ServiceContext.current else { return }
            open.withLock { $0[ID(key: key, number: number)] }?.addLink(SpanLink(context: caller, attributes: [:]))
        }

        func receive(_ event: QueryEvent) {
            guard let key = event.key, let number = event.fetchNumber else { return }
            let id = ID(key: key, number: number)
            switch event.kind {
            case .retrying(let delay, let error):
                open.withLock { $0[id] }?.addEvent(
                    SpanEvent(name: "retry", attributes: ["error.type": "\(error)", "pigeon.delay": "\(delay.brief)"]))
            case .failed, .pageFailed: end(id, event.error)
            case .cancelled, .dropped, .fresh, .notModified, .page: end(id, nil)
            default: return
            }
        }

        private func end(_ id: ID, _ error: (any Error)?) {
            guard let span = open.withLock({ $0.removeValue(forKey: id) }) else { return }
            if let error {
                span.attributes["error.type"] = TransientError.label(error)
                span.setStatus(SpanStatus(code: .error, message: TransientError.label(error)))
            }
            span.end()
        }

        func endAll() {
            let left = open.withLock { open in
                defer { open = [:] }
                return open
            }
            for span in left.values { span.end() }
        }
    }

    private struct Trace: FetchTrace {
        let context: ServiceContext

        func run<Outcome: Sendable>(_ attempt: @Sendable () async -> Outcome) async -> Outcome {
            await ServiceContext.$current.withValue(context, operation: attempt)
        }
    }
#endif
