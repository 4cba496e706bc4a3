#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore

    /// An entry that a browser shows, with its versions since then. Belongs to the event loop.
    final class EntryView {
        private let key: QueryKey
        private let view: ClientView
        private var versions: [Version] = []
        private let record = BackgroundReader<RecordReport?>(nil)
        private var updates = 0
        /// The entry that was sent last. `.some(nil)` if the browser knows that it is gone.
        private var last: Signature??

        private struct Version {
            let number: UInt64
            let time: MonotonicInstant
            let cause: String
            let value: JSONText
        }

        /// The entry is sent again when one of these changes.
        private struct Signature: Equatable {
            let version: UInt64
            let observers: Int
            let waiters: Int
            let fault: FetchFault?
            let deadlines: [EntryDeadline]
            let isStale: Bool
            let record: RecordReport?
            let items: ItemsReport.Mark?

            init(_ report: EntryReport, _ record: RecordReport?, _ now: MonotonicInstant) {
                (self.record, items) = (record, report.items?.mark)
                (version, observers, waiters) = (report.version, report.observers.count, report.waiterCount)
                (fault, deadlines, isStale) = (report.fault, report.deadlines, report.isStale(at: now))
            }
        }

        private static let limit = 50

        init(_ key: QueryKey, _ view: ClientView) {
            (self.key, self.view) = (key, view)
        }

        /// The entry as a message. `nil` if it has not changed.
        func update() -> JSONText? {
            guard let client = view.watch.client else { return nil }
            let now = client.environment.clock.now()
            let report = client.report(of: key)
            if updates % 10 == 0, let cache = report?.cache as? any QueryRecordStore {
                record.refresh { [key] in RecordReport(of: key, in: cache) }
            }
            updates += 1
            let signature = report.map { Signature($0, record.value, now) }
            guard last != .some(signature) else { return nil }
            last = .some(signature)
            guard let report else { return message { $0.field("detail", written: nil) } }
            let events = view.watch.events(of: key)
            note(report, events, now)
            return message { json in
                json.object("detail") { write(report, events, to: &$0, now) }
            }
        }

        private func message(_ body: (inout JSONText) -> Void) -> JSONText {
            Messages.message("entry", of: view.watch.id) { json in
                json.field("key", view.names.name(of: key).text)
                body(&json)
            }
        }

        private func note(_ report: EntryReport, _ events: [QueryEvent], _ now: MonotonicInstant) {
            guard let value = report.value, !view.isHidden(report), versions.last?.number != report.valueVersion else {
                return
            }
            var tree = JSONText()
            tree.write(tree: value, hiding: view.hiddenTypes)
            let event = events.last { $0.kind.bringsValue }
            if let event { view.names.learn(event.cause) }
            versions.append(
                Version(
                    number: report.valueVersion, time: event?.time ?? report.writtenAt ?? now,
                    cause: event.map { view.names.masked($0.origin) } ?? "known before", value: tree))
            if versions.count > Self.limit { versions.removeFirst() }
        }

        private func write(
            _ report: EntryReport, _ events: [QueryEvent], to json: inout JSONText, _ now: MonotonicInstant
        ) {
            let isHidden = view.isHidden(report)
            let changes = report.changes
            for event in events { view.names.learn(event.cause) }
            json.field("row") { json in
                json.write(report, view.names, options: nil, isHidden: isHidden, now: now)
            }
            let mutations = view.watch.names(
                ofMutations: Set(events.compactMap(\.mutationNumber) + changes.map(\.mutation)))
            json.array("why", of: Why.sentences(about: report, events, mutations, now)) { json, sentence in
                json.value(view.names.masked(sentence))
            }
            json.field("value", written: isHidden || report.value == nil ? nil : versions.last?.value)
            json.field("base") { json in
                json.write(tree: isHidden || changes.isEmpty ? nil : report.base, hiding: view.hiddenTypes)
            }
            json.array("layers", of: isHidden ? [] : changes) { json, change in
                json.object { json in
                    let name = mutations[change.mutation] ?? "mutation \(change.mutation)"
                    json.field("mutation", name + (change.isConfirmed ? ", confirmed" : ""))
                    json.field("value") { $0.write(tree: change.value, hiding: view.hiddenTypes) }
                }
            }
            json.array("versions", of: versions) { json, version in
                json.object { json in
                    json.field("version", version.number)
                    json.field("t", version.time.milliseconds)
                    json.field("cause", version.cause)
                    json.field("value", written: version.value)
                }
            }
            writePages(report, to: &json)
            writeItems(report, to: &json)
            writeSettings(report, to: &json)
            let text = report.value.flatMap { value in
                isHidden || holdsHidden(value, view.hiddenTypes) ? nil : Self.json(of: value)
            }
            json.field("isEditable", text != nil && report.isEditable)
            json.field("json", text)
        }

        private func writePages(_ report: EntryReport, to json: inout JSONText) {
            guard let pages = report.value as? any ListOfPages, let more = report.morePages else {
                return json.field("pages", written: nil)
            }
            json.object("pages") { json in
                json.array("ids", of: view.isHidden(report) ? [] : pages.pageNames) { $0.value($1) }
                json.field("hasNext", more.contains(.next))
                json.field("hasPrevious", more.contains(.previous))
            }
        }

        private func writeItems(_ report: EntryReport, to json: inout JSONText) {
            guard let items = report.items, !view.isHidden(report) else { return json.field("items", written: nil) }
            json.array("items", of: items.listings(limit: ItemView.limit)) { json, listing in
                let isHidden = view.isHidden(listing.kind)
                json.object { json in
                    json.field("type", listing.kind.name)
                    json.field("isPrivate", isHidden)
                    json.field("count", listing.count)
                    json.field("behind", listing.behindCount)
                    json.array("items", of: isHidden ? [] : listing.items) { json, item in
                        json.object { json in
                            json.field("id", item.id)
                            json.field("isBehind", item.isBehind)
                        }
                    }
                }
            }
        }

        private func writeSettings(_ report: EntryReport, to json: inout JSONText) {
            json.array("options", of: report.options.listed) { json, option in json.write(pair: option) }
            json.array("deadlines", of: report.deadlines) { $0.write($1) }
            json.array("observers", of: Observers.all(of: report)) { json, observers in
                json.object { json in
                    json.field("name", observers.name)
                    json.field("place", observers.place)
                    json.field("count", observers.count)
                }
            }
            let validators = [("ETag", report.validators.eTag), ("Last-Modified", report.validators.lastModified)]
                .compactMap { name, text in text.map { (name, $0) } }
            json.array("validators", of: validators) { $0.write(pair: $1) }
            json.field("record") { json in
                guard let record = record.value else { return json.null() }
                record.write(to: &json, since: view.watch.client?.startDate ?? Date())
            }
            json.field("source", report.cache.map { "stored in \(type(of: $0))" })
            json.field("face", report.options.face.map { "\(type(of: $0))" })
        }

        /// The value as JSON text. `nil` if it cannot be encoded, or is too large to edit.
        private static func json(of value: any Sendable) -> String? {
            guard let value = value as? any Encodable else { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(value), data.count < 200_000 else { return nil }
            return String(decoding: data, as: UTF8.self)
        }
    }

    private struct Observers: Hashable {
        let name: String
        let place: String?
        var count = 1

        static func all(of report: EntryReport) -> [Observers] {
            var all: [Observers] = []
            for observer in report.observers {
                let name = observer.options.face.map { "\(type(of: $0))" } ?? "observer"
                let new = Observers(
                    name: observer.options.isEnabled ? name : "disabled \(name)", place: observer.place)
                if let index = all.firstIndex(where: { $0.name == new.name && $0.place == new.place }) {
                    all[index].count += 1
                } else {
                    all.append(new)
                }
            }
            return all
        }
    }

    private protocol ListOfPages {
        /// The identifiers of the first pages, as texts.
        var pageNames: [String] { get }
    }

    extension Pages: ListOfPages {
        fileprivate var pageNames: [String] { ids.prefix(1000).map { "\($0)" } }
    }

    extension EntryReport {
        /// True if a value can be made from JSON.
        var isEditable: Bool { value is any Decodable }
    }

    extension QueryEvent {
        /// What brought a value.
        fileprivate var origin: String {
            if case .newerItem = cause.origin { "\(cause)" } else { "\(kind)" }
        }
    }

    extension QueryEvent.Kind {
        /// True if the event may have changed the value.
        var bringsValue: Bool {
            switch self {
            case .fresh, .written, .optimistic, .rolledBack, .hydrated, .page: true
            default: false
            }
        }
    }

    extension QueryOptions {
        /// The options to show for an entry, as texts.
        var listed: [(String, String)] {
            [
                ("stale after", staleAfter.text), ("keep unused for", keepFor.text),
                ("retries", retry.limit == .max ? "without limit" : "\(retry.limit)"),
                ("poll every", pollEvery?.text ?? "never"), ("network", "\(networkMode)"),
                ("fetch when observed", fetchesOnAttach ? "yes" : "no"),
                ("refetch in the foreground", "\(refetchOnForeground)"),
                ("time limit", timeLimit?.text ?? "none"), ("when abandoned", "\(whenAbandoned)"),
            ]
        }
    }

    extension StaleTime {
        fileprivate var text: String {
            switch kind {
            case .after(let nanoseconds): Duration.nanoseconds(nanoseconds).text
            case .never: "never, unless invalidated"
            case .immutable: "never"
            }
        }
    }

    extension Duration {
        /// A short text: milliseconds, seconds, minutes or hours.
        var text: String {
            let seconds = inSeconds
            func rounded(_ number: Double, _ unit: String) -> String {
                let tenths = (number * 10).rounded() / 10
                return (tenths == tenths.rounded() ? "\(Int64(tenths))" : "\(tenths)") + " \(unit)"
            }
            return switch abs(seconds) {
            case ..<1: "\(Int64((seconds * 1000).rounded())) ms"
            case ..<120: rounded(seconds, "s")
            case ..<7200: rounded(seconds / 60, "min")
            case ..<1e9: rounded(seconds / 3600, "h")
            default: "for ever"
            }
        }
    }

    extension JSONText {
        fileprivate mutating func write(pair: (String, String)) {
            array { json in
                json.value(pair.0)
                json.value(pair.1)
            }
        }

        fileprivate mutating func write(tree value: (any Sendable)?, hiding types: [any Sendable.Type]) {
            if let value { write(tree: value as Any, hiding: types) } else { null() }
        }
    }
#endif
