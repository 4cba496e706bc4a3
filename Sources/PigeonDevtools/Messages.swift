#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonOutbox

    /// The messages to browsers. Times are milliseconds on the client's clock. A ``Recording`` reads those of a file.
    enum Messages {
        static func hello(_ watches: [ClientWatch]) -> JSONText {
            message("hello") { json in
                json.field("version", 1)
                json.object("program") { $0.writeProgram() }
                json.array("features") { $0.value("requests") }
                write(watches, to: &json)
            }
        }

        static func clients(_ watches: [ClientWatch]) -> JSONText {
            message("clients") { write(watches, to: &$0) }
        }

        private static func write(_ watches: [ClientWatch], to json: inout JSONText) {
            json.array("clients", of: watches) { json, watch in
                json.object { json in
                    json.field("id", watch.id)
                    json.field("name", watch.name)
                }
            }
        }

        static func problem(_ text: String) -> JSONText { message("problem") { $0.field("text", text) } }

        static func done(_ id: Int?, _ text: String) -> JSONText {
            message("done") { json in
                json.field("id", id)
                json.field("text", text)
            }
        }

        static func failed(_ id: Int?, _ error: String) -> JSONText {
            message("done") { json in
                json.field("id", id)
                json.field("error", error)
            }
        }

        static func state(
            of client: QueryClient, _ watch: ClientWatch, _ caches: [CacheReport], dropped: Int
        ) -> JSONText {
            let counters = watch.counters
            return message("state", of: watch.id) { json in
                json.field("now", client.environment.clock.now().milliseconds)
                json.field("origin", client.startDate.timeIntervalSince1970 * 1000)
                json.field("isOnline", client.environment.connectivity.isOn)
                json.field("isActive", client.environment.activity.isOn)
                json.field("canAdvance", client.environment.clock is any AdjustableClock)
                json.field("budget", client.byteBudget)
                json.field("bytes", client.bytesInMemory)
                json.field("entryCount", client.count)
                json.object("counters") { json in
                    json.field("hits", client.hitCount)
                    json.field("fetches", counters.fetches)
                    json.field("joined", counters.joined)
                    json.field("failures", counters.failures)
                    json.field("mutations", counters.mutations)
                    json.field("events", counters.events)
                    json.field("dropped", dropped)
                }
                json.array("caches", of: caches) { $1.write(to: &$0, since: client.startDate) }
            }
        }

        /// - Parameter options: The options to which the rows refer.
        static func entries(
            of client: Int, isReset: Bool, hasMore: Bool, removed: [Int], options: [(id: Int, json: JSONText)],
            _ rows: (inout JSONText) -> Void
        ) -> JSONText {
            message("entries", of: client) { json in
                json.field("reset", isReset)
                json.field("more", hasMore)
                json.array("removed", of: removed) { $0.value($1) }
                json.array("options", of: options) { json, options in
                    json.object { json in
                        json.field("id", options.id)
                        json.field("values", written: options.json)
                    }
                }
                json.array("rows", rows)
            }
        }

        static func events(_ events: JSONText, dropped: Int, of client: Int) -> JSONText {
            message("events", of: client) { json in
                json.field("dropped", dropped)
                json.field("events", written: events)
            }
        }

        static func preview(_ id: Int?, _ names: [String]) -> JSONText {
            message("preview") { json in
                json.field("id", id)
                json.field("count", names.count)
                json.array("keys", of: names.prefix(50)) { $0.value($1) }
            }
        }

        static func outbox(of client: QueryClient, _ number: Int, _ names: KeyNames) -> JSONText {
            let (snapshot, keys) = (client.outbox.snapshot, client.outbox.editedKeys)
            func write(_ name: String, _ items: some Sequence<OutboxItem>, to json: inout JSONText) {
                json.array(name, of: items) { json, item in
                    json.write(item, since: client.startDate, editing: keys[item.id] ?? [], names)
                }
            }
            return message("outbox", of: number) { json in
                write("waiting", snapshot.waiting.prefix(1000), to: &json)
                write("setAside", snapshot.setAside.prefix(1000), to: &json)
                json.array("problems", of: snapshot.problems) { $0.value(names.masked($1)) }
            }
        }

        /// The entries that contain an item.
        static func item(
            _ id: String, ofType type: String, of client: Int, _ found: ItemPlaces, _ names: KeyNames
        ) -> JSONText {
            message("item", of: client) { json in
                json.object("item") { json in
                    json.field("type", type)
                    json.field("id", id)
                }
                json.field("count", found.count)
                json.array("entries", of: found.places) { json, place in
                    json.object { json in
                        json.field("key", names.name(of: place.key).text)
                        json.field("isBehind", place.isBehind)
                    }
                }
                guard let origin = found.origin else { return json.field("origin", written: nil) }
                json.object("origin") { json in
                    json.field("key", names.name(of: origin.key).text)
                    json.field("page", origin.page)
                }
            }
        }

        static func message(_ type: String, of client: Int? = nil, _ body: (inout JSONText) -> Void) -> JSONText {
            var json = JSONText()
            json.object { json in
                json.field("type", type)
                if let client { json.field("client", client) }
                body(&json)
            }
            return json
        }
    }

    extension JSONText {
        mutating func writeProgram() {
            let process = ProcessInfo.processInfo
            field("name", process.processName)
            field("pid", Int(process.processIdentifier))
            field("system", process.operatingSystemVersionString)
        }
    }

    extension MonotonicInstant {
        var milliseconds: Double { Double(nanoseconds) / 1e6 }
    }

    extension JSONText {
        /// Writes a row, from which a replay reads a ``RecordedRow``.
        mutating func write(
            _ report: EntryReport, _ names: KeyNames, options: Int?, isHidden: Bool, now: MonotonicInstant
        ) {
            let name = names.name(of: report.key)
            object { json in
                json.field("options", options)
                json.field("id", name.id)
                json.field("key", name.text)
                json.array("path", of: name.path) { $0.value($1) }
                json.field("type", report.typeName)
                json.field("state", report.state(at: now))
                json.field("activity", "\(report.info.activity)")
                json.field("observers", report.info.observerCount)
                json.field("disabled", report.observers.count { !$0.options.isEnabled })
                json.field("waiters", report.waiterCount)
                json.field("isOptimistic", report.isOptimistic)
                json.array("tags", of: isHidden ? [] : report.key.tags) { $0.value($1) }
                json.field("bytes", report.cost)
                json.field("updatedAt", report.writtenAt?.milliseconds)
                json.field("freshForMs", report.freshFor.map { $0.inSeconds * 1000 })
                json.field("error", report.error.map { names.masked(TransientError.label($0)) })
                json.field("fault", report.fault?.name)
                json.field("isPrivate", isHidden)
                json.field("next") { $0.write(report.deadlines.first { $0.time > now }) }
            }
        }

        mutating func write(_ deadline: EntryDeadline?) {
            guard let deadline else { return null() }
            object { json in
                json.field("what", deadline.kind.rawValue)
                json.field("at", deadline.time.milliseconds)
            }
        }

        /// Writes an event, from which a replay reads a ``RecordedEvent``.
        mutating func write(_ event: QueryEvent, _ names: KeyNames) {
            let name = event.key.map(names.name(of:))
            names.learn(event.cause)
            object { json in
                json.field("n", event.sequence)
                json.field("t", event.time.milliseconds)
                json.field("id", name?.id)
                json.field("key", name?.text)
                json.field("fetch", event.fetchNumber)
                json.field("mutation", event.mutation)
                json.field("mutationNumber", event.mutationNumber)
                json.field("kind", event.kind.name)
                json.field("text", names.masked(event.kind.description))
                json.array("causes", of: event.cause.chain) { $0.value(names.masked($1)) }
                json.field("isFailure", event.kind.isFailure)
                switch event.kind {
                case .fetching(let attempt): json.field("attempt", attempt)
                case .loadingPage(let direction, let attempt):
                    json.field("page", "\(direction)")
                    json.field("attempt", attempt)
                case .page(let direction), .pageFailed(let direction, _): json.field("page", "\(direction)")
                case .retrying(let delay, _), .debounced(let delay): json.field("ms", delay.inSeconds * 1000)
                default: break
                }
            }
        }

        mutating func write(_ item: OutboxItem, since start: Date, editing keys: [QueryKey], _ names: KeyNames) {
            // Before the texts, which are masked by the names of hidden keys.
            let edits = keys.map { names.name(of: $0).text }
            object { json in
                json.field("id", item.id)
                json.field("name", item.name)
                json.field("scope", item.scope)
                json.field("enqueuedAt", item.enqueuedAt.timeIntervalSince(start) * 1000)
                json.field("attempts", item.attempts)
                json.field("stage", item.stage.name)
                json.field("reason", item.stage.reason.map(names.masked))
                json.field("error", item.error.map { names.masked(TransientError.label($0)) })
                json.array("edits", of: edits) { $0.value($1) }
            }
        }
    }

    extension EntryReport {
        func state(at now: MonotonicInstant) -> String {
            if error != nil { return "failed" }
            if writtenAt == nil { return "empty" }
            return isStale(at: now) ? "stale" : "fresh"
        }
    }

    extension OutboxItem.Stage {
        var name: String {
            switch self {
            case .waiting: "waiting"
            case .running: "running"
            case .setAside: "setAside"
            }
        }

        var reason: String? {
            switch self {
            case .waiting(.turn): "its turn"
            case .waiting(.network): "the network"
            case .waiting(.time): "the next attempt"
            case .waiting(.authorization): "new credentials"
            case .waiting(.otherProcess): "another process"
            case .waiting(.storage): "the store"
            case .running: nil
            case .setAside(let reason): reason
            }
        }
    }
#endif
