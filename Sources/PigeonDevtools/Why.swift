#if Devtools
    internal import PigeonBase
    internal import PigeonCore

    /// Explains an entry in sentences: what happened to it last, and the chain of causes back to the first.
    enum Why {
        /// - Parameter events: The events of the entry, oldest first.
        static func sentences(
            about report: EntryReport, _ events: [QueryEvent], _ now: MonotonicInstant
        ) -> [String] {
            var sentences: [String] = []
            if let fault = report.fault { sentences.append("Its fetches are disturbed: they \(fault.sentence).") }
            if let cause = report.cause {
                sentences.append("A fetch is in flight\(because(cause)).")
                sentences += origins(of: cause)
            }
            // The newest story first: from the last event back to the beginning of a fetch.
            var told: [QueryEvent] = []
            for event in events.reversed() {
                told.append(event)
                if told.count == 12 { break }
            }
            for event in told {
                sentences.append("\(ago(event.time, now)): \(event.kind)\(because(event.cause)).")
                if told.first?.sequence == event.sequence { sentences += origins(of: event.cause) }
            }
            if sentences.isEmpty { sentences.append("Nothing has happened to it since the devtools were started.") }
            return sentences
        }

        private static func because(_ cause: Cause) -> String {
            switch cause.chain.first {
            case let nearest? where nearest != "cached": ", because of: \(nearest)"
            default: ""
            }
        }

        private static func origins(of cause: Cause) -> [String] {
            let chain = cause.chain
            return zip(chain, chain.dropFirst()).map { "Behind “\($0)” was: \($1)." }
        }

        private static func ago(_ time: MonotonicInstant, _ now: MonotonicInstant) -> String {
            "\(time.duration(to: now).brief) ago"
        }
    }

    extension FetchFault {
        fileprivate var sentence: String {
            switch self {
            case .failure: "fail at once"
            case .hang: "never end"
            case .delay(let time): "begin \(time.brief) late"
            }
        }
    }
#endif
