#if Devtools
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonOutbox

    /// The state of a client that browsers know, and the changes since. Belongs to the event loop.
    final class ClientView: @unchecked Sendable {  // used on one event loop only
        let watch: ClientWatch
        private let settings: Devtools.Options
        private(set) var names: KeyNames
        /// Hashes of the rows that browsers have, by which changes are found.
        private var shown: [QueryKey: Int] = [:]
        private var changed: Set<QueryKey> = []
        /// Entries that are looked at in turn, because some changes cause no event, such as a new observer.
        private var turns: ArraySlice<QueryKey> = []
        /// Number of the client's events that browsers know or have missed. `nil` without browsers.
        private var eventCount: Int?
        private var dropped = 0
        private var tick = 0
        /// The options that entries have, by numbers.
        private var options: [OptionsRecord: (id: Int, json: JSONText)] = [:]
        private let caches = BackgroundReader<[CacheReport]>([])

        /// Maximum number of events in one update. Others are dropped.
        private static let eventLimit = 300
        /// Maximum number of changed entries in one update. Others follow later.
        private static let rowLimit = 300
        /// Maximum number of entries that one update reads, changed ones and those whose turn it is.
        private static let lookLimit = 400

        init(_ watch: ClientWatch, _ options: Devtools.Options) {
            (self.watch, settings) = (watch, options)
            names = KeyNames(hides: options.hidesKey)
        }

        /// Forgets the state that browsers know. Called when there are none.
        func forget() {
            guard eventCount != nil else { return }
            eventCount = nil
            (shown, changed, turns) = ([:], [], [])
            names = KeyNames(hides: settings.hidesKey)
        }

        var hiddenTypes: [any Sendable.Type] { settings.hiddenTypes }

        func isHidden(_ report: EntryReport) -> Bool {
            names.name(of: report.key).isHidden
                || report.value.map { value in settings.hiddenTypes.contains { $0 == type(of: value) } } ?? false
        }

        func isHidden(_ kind: ItemsReport.Kind) -> Bool {
            settings.hiddenTypes.contains { ObjectIdentifier($0) == kind.type }
        }

        func keys() -> ArraySlice<QueryKey> { (watch.client?.keys ?? [])[...] }

        /// Sends all that is known to a browser that begins to watch. The entries are last, because they are sent in pieces,
        /// as long as the browser reads them.
        func sync(_ browser: Browser, _ requests: [RequestRecord]) {
            guard let client = watch.client else { return }
            readCaches(of: client)
            // Texts are masked by the names of hidden keys.
            for key in keys() { _ = names.name(of: key) }
            browser.send(state(of: client))
            let count = eventCount ?? watch.counters.events
            eventCount = count
            let known = watch.events(after: max(0, count - 5000)).prefix(5000)
            browser.send(Messages.events(write(known), dropped: 0, of: watch.id))
            sendWork(of: client, requests, to: browser)
            browser.sendEntries()
        }

        /// Sends what has changed since the last update.
        ///
        /// - Parameters:
        ///   - changed: The requests that have changed.
        ///   - all: Returns all requests.
        func update(_ browsers: [Browser], _ changed: [RequestRecord], all: () -> [RequestRecord]) {
            guard let client = watch.client else { return }
            tick += 1
            let (events, missed) = takeEvents()
            let written = write(events)
            for browser in browsers {
                browser.send(events: written, count: events.count, of: watch.id, dropped: missed)
            }
            let changes = takeChanges(client)
            for browser in browsers {
                browser.send(changes: changes)
                browser.sendEntries()
            }
            let news = [watch.takeOutboxChange() ? outbox(of: client) : nil, message(of: changed, client)]
                .compactMap(\.self)
            for browser in browsers {
                if browser.isReady, browser.takeMissed() {
                    sendWork(of: client, all(), to: browser)
                } else {
                    for message in news { browser.sendUnlessSlow(message) }
                }
            }
            sendState(client, to: browsers)
        }

        private func sendWork(of client: QueryClient, _ requests: [RequestRecord], to browser: Browser) {
            browser.send(outbox(of: client))
            if let message = message(of: requests, client) { browser.send(message) }
        }

        /// The requests that concern the client, as a message. `nil` if none does.
        private func message(of requests: [RequestRecord], _ client: QueryClient) -> JSONText? {
            let concerned = requests.filter { $0.concerns(client) }
            guard !concerned.isEmpty else { return nil }
            return Messages.requests(concerned, of: client, watch.id, names)
        }

        private func outbox(of client: QueryClient) -> JSONText {
            Messages.outbox(of: client, watch.id, names)
        }

        // MARK: Events

        /// Returns the newest events, and the number of those that are dropped.
        private func takeEvents() -> (events: ArraySlice<QueryEvent>, dropped: Int) {
            let count = eventCount ?? 0
            let all = watch.events(after: count)
            let happened = watch.counters.events - count
            eventCount = count + happened
            for event in all { if let key = event.key { changed.insert(key) } }
            // If events are no longer kept, their entries are unknown, so all are looked at.
            if all.count < happened { changed.formUnion(keys()) }
            let events = all.suffix(Self.eventLimit)
            dropped += happened - events.count
            return (events, happened - events.count)
        }

        private func write(_ events: ArraySlice<QueryEvent>) -> JSONText {
            var json = JSONText()
            json.array(of: events) { $0.write($1, names) }
            return json
        }

        // MARK: Entries

        /// The rows of entries, as a message.
        ///
        /// - Parameter isAlone: True if there is no other browser, which would still have to receive the rows.
        func entries(_ keys: ArraySlice<QueryKey>, isReset: Bool, hasMore: Bool, isAlone: Bool) -> JSONText {
            let rows = (watch.client?.reports(of: keys) ?? []).map { report in
                let row = Row(report, self)
                // Another browser still has to receive this row, and a later removal.
                if isAlone || shown[report.key] == nil { shown[report.key] = isAlone ? row.hash : ~row.hash }
                return row
            }
            return message(of: rows, isReset: isReset, hasMore: hasMore)
        }

        /// Returns the rows that differ from those that browsers have. `nil` if there are none.
        private func takeChanges(_ client: QueryClient) -> JSONText? {
            if turns.isEmpty { turns = keys() }
            let due = Set(changed.prefix(Self.rowLimit))
            changed.subtract(due)
            let looked = turns.prefix(Self.lookLimit - due.count)
            turns = turns.dropFirst(looked.count)
            let keys = Array(due) + looked.filter { !due.contains($0) }
            let reports = client.reports(of: keys)
            let present = Set(reports.map(\.key))
            var removed: [Int] = []
            for key in keys where !present.contains(key) && shown.removeValue(forKey: key) != nil {
                removed.append(names.name(of: key).id)
            }
            let rows = reports.compactMap { report in
                let row = Row(report, self)
                return shown.updateValue(row.hash, forKey: report.key) == row.hash ? nil : row
            }
            guard !rows.isEmpty || !removed.isEmpty else { return nil }
            return message(of: rows, removed: removed)
        }

        private func message(
            of rows: [Row], isReset: Bool = false, hasMore: Bool = false, removed: [Int] = []
        ) -> JSONText {
            let named = Set(rows.map(\.options))
            return Messages.entries(
                of: watch.id, isReset: isReset, hasMore: hasMore, removed: removed,
                options: options.values.filter { named.contains($0.id) }
            ) { json in
                for row in rows { json.value(written: row.json) }
            }
        }

        /// An entry as it is sent.
        private struct Row {
            let json: JSONText
            let options: Int
            let hash: Int

            init(_ report: EntryReport, _ view: ClientView) {
                options = view.number(of: OptionsRecord(report.options))
                var json = JSONText()
                json.write(report, view.names, options: options, isHidden: view.isHidden(report), now: view.now)
                (self.json, hash) = (json, json.bytes.hashValue)
            }
        }

        private func number(of record: OptionsRecord) -> Int {
            if let known = options[record] { return known.id }
            let json = JSONText(written: (try? JSONEncoder().encode(record)) ?? Data("null".utf8))
            options[record] = (options.count + 1, json)
            return options.count
        }

        private var now: MonotonicInstant { watch.client?.environment.clock.now() ?? MonotonicInstant(nanoseconds: 0) }

        // MARK: State

        /// At most twice a second, if there is something new.
        private func sendState(_ client: QueryClient, to browsers: [Browser]) {
            guard tick % 5 == 0 else { return }
            if tick % 50 == 0 { readCaches(of: client) }
            let state = state(of: client)
            for browser in browsers where browser.isReady { browser.send(state) }
        }

        private func readCaches(of client: QueryClient) {
            let all = client.caches
            caches.refresh { all.map(CacheReport.init) }
        }

        func state(of client: QueryClient) -> JSONText {
            Messages.state(of: client, watch, caches.value, dropped: dropped)
        }
    }

    /// Short names of keys for browsers: a number for each, and its text unless it is hidden.
    final class KeyNames {
        struct Name {
            let id: Int
            let text: String
            let path: [String]
            let isHidden: Bool
        }

        private let hides: @Sendable (QueryKey) -> Bool
        private var names: [QueryKey: Name] = [:]
        private var keys: [String: QueryKey] = [:]
        /// The texts of hidden keys, and their names.
        private var hidden: [(text: String, name: String)] = []

        init(hides: @escaping @Sendable (QueryKey) -> Bool) {
            self.hides = hides
        }

        func key(named text: String) -> QueryKey? { keys[text] }

        func name(of key: QueryKey) -> Name {
            if let known = names[key] { return known }
            let (id, isHidden) = (names.count + 1, hides(key))
            let name = Name(
                id: id, text: isHidden ? "#\(id)" : key.queryKeyValue, path: isHidden ? ["#\(id)"] : key.components,
                isHidden: isHidden)
            names[key] = name
            keys[name.text] = key
            if isHidden { hidden.append((key.queryKeyValue, name.text)) }
            return name
        }

        /// Lets the key that a cause mentions be known, so that its text is masked.
        func learn(_ cause: Cause) {
            if case .newerItem(let key, _) = cause.origin { _ = name(of: key) }
        }

        /// A text without the texts of hidden keys, which errors and causes can have.
        func masked(_ text: String) -> String {
            hidden.reduce(text) { text, key in
                text.contains(key.text) ? text.replacingOccurrences(of: key.text, with: key.name) : text
            }
        }
    }
#endif
