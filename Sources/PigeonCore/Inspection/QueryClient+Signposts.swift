#if canImport(os)
    public import os

    extension QueryClient {
        /// Shows the client's work in Instruments: fetches, page loads and mutations as intervals, other events as marks.
        ///
        /// Use the instrument "os_signpost". The texts name keys and causes, and no values. While nothing records, an event
        /// costs what it costs any listener.
        ///
        /// - Parameter signposter: The subsystem and category under which Instruments shows the work.
        /// - Returns: A subscription that ends the signposts when it is released.
        public func signposts(
            _ signposter: OSSignposter = OSSignposter(subsystem: "Pigeon", category: "QueryClient")
        ) -> QuerySubscription {
            let writer = Locked(SignpostWriter(signposter: signposter))
            return onEvent { event in writer.withLock { $0.write(event) } }
        }
    }

    private struct SignpostWriter {
        let signposter: OSSignposter
        var intervals = EventIntervals()
        var ids: [EventIntervals.ID: OSSignpostID] = [:]

        mutating func write(_ event: QueryEvent) {
            guard signposter.isEnabled else { return forget() }
            let text = event.description
            for step in intervals.receive(event) {
                switch step {
                case .begin(let id, let kind):
                    let number = signposter.makeSignpostID()
                    ids[id] = number
                    _ = signposter.beginInterval(kind.name, id: number, "\(text)")
                case .end(let id, let kind):
                    guard let number = ids.removeValue(forKey: id) else { break }
                    signposter.endInterval(kind.name, OSSignpostIntervalState.beginState(id: number), "\(text)")
                case .mark: signposter.emitEvent("Event", "\(text)")
                }
            }
        }

        /// Forgets what began while Instruments recorded.
        private mutating func forget() {
            guard !ids.isEmpty else { return }
            (intervals, ids) = (EventIntervals(), [:])
        }
    }

    extension EventIntervals.Kind {
        fileprivate var name: StaticString {
            switch self {
            case .fetch: "Fetch"
            case .pageLoad: "Page load"
            case .mutation: "Mutation"
            }
        }
    }
#endif
