#if Devtools
    internal import PigeonBase
    internal import PigeonCore

    /// Explains an entry in sentences: its last event, and the causes back to the first.
    enum Why {
        /// Maximum number of events in an explanation.
        private static let limit = 12

        /// - Parameters:
        ///   - events: The events of the entry, oldest first.
        ///   - mutations: The names of mutations that the events mention.
        static func sentences(
            about report: EntryReport, _ events: [QueryEvent], _ mutations: [UInt64: String], _ now: MonotonicInstant
        ) -> [String] {
            var sentences: [String] = []
            if let fault = report.fault { sentences.append("Its fetches are disturbed: they \(fault.clause).") }
            if let cause = report.cause {
                sentences.append("A fetch is in flight\(cause.reason).")
                sentences += cause.origins
            }
            for (index, event) in events.suffix(limit).reversed().enumerated() {
                let age = event.time.duration(to: now).text
                let mutation = event.mutationNumber.flatMap { mutations[$0] }.map { " of mutation \($0)" }
                let reason = mutation ?? (event.kind.needsReason ? event.cause.reason : "")
                sentences.append("\(event.kind.sentence), \(age) ago\(reason).")
                // Only the first causes of the newest event. Otherwise, the same causes would be explained several
                // times.
                if index == 0, event.kind.needsReason, report.cause == nil { sentences += event.cause.origins }
            }
            if sentences.isEmpty { sentences.append("Nothing has happened to it since the devtools were started.") }
            return sentences
        }
    }

    extension Cause {
        /// A clause that follows what happened, such as ", because it was invalidated".
        fileprivate var reason: String {
            switch self {
            case .retry(let number, let error, _): ", as retry \(number) after \(error)"
            case .by(let name, let cause): "\(cause.reason), by \(name)"
            default: ", because \(clause)"
            }
        }

        private var clause: String {
            switch self {
            case .observed: "an observer needed it"
            case .requested: "the program asked for it"
            case .prefetched: "the program prefetched it"
            case .invalidated: "it was invalidated"
            case .mutation(let name): "of mutation \(name)"
            case .poll: "its polling interval had passed"
            case .foreground: "the program came to the foreground"
            case .reconnect: "the network came back"
            case .nextPage: "the next page was asked for"
            case .previousPage: "the previous page was asked for"
            case .written: "the program wrote it"
            case .newerItem(let key, let page):
                page.map { "page \($0) of \(key) has a newer item" } ?? "\(key) has a newer item"
            case .sourceChanged: "its source changed"
            case .cached: "a cache had it"
            case .otherProcess: "another process changed the cache"
            case .abandoned: "nobody needed it any more"
            case .superseded: "a newer fetch took its place"
            case .aged: "its time had passed"
            case .unused: "nobody had used it for long enough"
            case .budget: "memory was above the budget"
            case .memoryPressure: "the system needed memory"
            case .cleared: "the client was cleared"
            case .closed: "the client was closed"
            case .timeLimit: "its time limit had passed"
            case .retry, .by: description
            }
        }

        /// Sentences about the causes of this cause, nearest first.
        fileprivate var origins: [String] {
            switch self {
            case .invalidated(by: let origin?): ["It was invalidated\(origin.reason)."] + origin.origins
            case .retry(_, _, let origin): ["The first attempt began\(origin.reason)."] + origin.origins
            case .by(_, let cause): cause.origins
            default: []
            }
        }
    }

    extension QueryEvent.Kind {
        fileprivate var needsReason: Bool {
            switch self {
            case .fresh, .notModified, .stale, .retrying, .failed, .page, .pageFailed, .resumed, .optimistic,
                .rolledBack, .debounced:
                false
            default: true
            }
        }

        fileprivate var sentence: String {
            switch self {
            case .fetching(attempt: 1): "A fetch began"
            case .fetching(let attempt): "Attempt \(attempt) of a fetch began"
            case .fresh: "A value arrived"
            case .notModified: "The server confirmed the value"
            case .failed(let error): "A fetch failed with \(error)"
            case .retrying(let delay, let error): "An attempt failed with \(error), to be repeated after \(delay.text)"
            case .paused: "A fetch paused"
            case .resumed: "A fetch went on"
            case .cancelled: "A fetch was cancelled"
            case .dropped: "A late answer was dropped"
            case .debounced(let delay): "A fetch waited for \(delay.text)"
            case .joined: "A caller joined a fetch"
            case .optionsIgnored(let names): "A caller joined a fetch, which ignored \(names)"
            case .written: "A value was written"
            case .optimistic: "An optimistic change was shown"
            case .rolledBack: "An optimistic change was rolled back"
            case .hydrated: "A value was read from a cache"
            case .invalidated: "It was invalidated"
            case .stale: "It became stale"
            case .loadingPage(let direction, _): "The \(direction) page began to load"
            case .page(let direction): "The \(direction) page arrived"
            case .pageFailed(let direction, let error): "The \(direction) page failed with \(error)"
            case .removed: "It was removed"
            default: "“\(self)” was reported"
            }
        }
    }

    extension FetchFault {
        fileprivate var clause: String {
            switch self {
            case .failure: "fail at once"
            case .hang: "never end"
            case .delay(let time): "begin \(time.text) late"
            }
        }
    }
#endif
