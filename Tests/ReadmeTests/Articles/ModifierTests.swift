import Foundation
import Pigeon
import PigeonFleet
import PigeonTesting
import Testing

@Suite("Article: all modifiers of a definition")
struct ModifierTests {
    struct Report: Codable, Equatable, Sendable {
        var text: String
        var isFinal = false
    }

    struct ReportAPI: Sendable {
        func report(_ id: Int) async throws -> Report { Report(text: "\(id)") }
    }

    struct ReportTable: SourceOfTruth {
        static let rows = Locked<[Int: Stored<Report>]>([:])
        let id: Int

        func load() async throws -> Stored<Report>? { Self.rows.withLock { $0[id] } }
        func save(_ stored: Stored<Report>) async throws { Self.rows.withLock { $0[id] = stored } }
        func remove() async throws { Self.rows.withLock { $0[id] = nil } }
    }

    struct Terminal: QueryFace {
        var name: String? { "terminal" }
    }

    private let report: QueryDefinition<Report> = {
        let report = QueryDefinition<Report>("reports", 7) { context in try await context[ReportAPI.self].report(7) }
        return report
    }()

    /// The options of a definition, without those of a client.
    private func options(of definition: QueryDefinition<Report>) -> QueryOptions {
        var options = QueryOptions()
        definition.overrides?.apply(to: &options)
        return options
    }

    // MARK: The snippets

    @Test func `freshness`() {
        let fresh =
            report
            .staleAfter(.minutes(5), jitter: 0.1)
            .staleAfter { $0.isFinal ? .never : .minutes(5) }
            .refreshEarly(by: .seconds(30))
            .fetchPolicy(.staleIfError(upTo: .hours(1)))
            .initial(Report(text: "Draft"), age: .seconds(60))
        let options = options(of: fresh)
        #expect(options.staleAfter == .minutes(5) && options.expiryJitter == 0.1)
        #expect(options.refreshEarly == .seconds(30))
        #expect(options.fetchPolicy == .staleIfError(upTo: .seconds(3600)))
        let lab = QueryLab()
        let observer = lab.client.observe(fresh.enabled(false))
        #expect(observer.value == Report(text: "Draft"))
    }

    @Test func `fetching`() {
        let fetched =
            report
            .enabled(true)
            .refetchOnAttach(.always)
            .retriesOnAttach(false)
            .refetchOnForeground(.never)
            .refetchOnReconnect(.always)
            .poll(every: .seconds(30)) { $0.isFinal }
            .poll(every: .milliseconds(500), inBackground: true)
            .debounced(by: .milliseconds(300))
            .fetchAtMostEvery(.seconds(1))
            .networkMode(.offlineFirst)
            .whenAbandoned(.cancel)
        let options = options(of: fetched)
        #expect(options.isEnabled && !options.retriesOnAttach)
        #expect(options.refetchOnAttach == .always && options.refetchOnForeground == .never)
        #expect(options.refetchOnReconnect == .always)
        #expect(options.pollEvery == .milliseconds(500) && options.pollsInBackground)
        #expect(options.debounce == .milliseconds(300) && options.fetchInterval == .seconds(1))
        #expect(options.networkMode == .offlineFirst && options.whenAbandoned == .cancel)
    }

    @Test func `failures and limits`() {
        let archive = Upstream("archive", limit: 4)
        let careful =
            report
            .retry(2)
            .retry(.standard)
            .timeLimit(.seconds(20))
            .rememberFailures(for: .seconds(5))
            .upstream(archive)
        let options = options(of: careful)
        #expect(options.retry == .standard && options.timeLimit == .seconds(20))
        #expect(options.rememberFailures == .seconds(5) && options.upstream == archive)
        #expect(self.options(of: report.retry(2)).retry.limit == 2)
    }

    @Test func `placeholders`() {
        let shown =
            report
            .placeholder(Report(text: "…"))
            .placeholder { $0 }
            .keepsPlaceholder()
        #expect(options(of: shown).keepsPlaceholder)
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: Report.self)
        let search = QueryDefinition("reports", "milk", fetch: fetcher.fetch).placeholder(Report(text: "…"))
        let (plain, keeping) = (lab.client.observe(search), lab.client.observe(search.keepsPlaceholder()))
        #expect(plain.snapshot.value == Report(text: "…") && plain.snapshot.isPlaceholder)
        fetcher.fail(with: CocoaError(.fileReadUnknown))
        #expect(plain.snapshot.value == nil && plain.snapshot.error != nil)
        #expect(keeping.snapshot.value == Report(text: "…") && keeping.snapshot.error != nil)
    }

    @Test func `memory, disk and other processes`() {
        let kept =
            report
            .keepFor(.seconds(3600))
            .cost { $0.text.utf8.count }
            .persisted(schema: 2)
            .shared(schema: 2)
        let stored = report.stored(in: ReportTable(id: 7))  // a table of yours
        #expect(options(of: kept).keepFor == .seconds(3600))
        #expect(kept.extras?.persistence != nil && kept.extras?.sharing != nil)
        #expect(kept.extras?.cost?(Report(text: "Milk")) == 4)
        let lab = QueryLab(dependencies: Dependencies(ReportAPI()))
        let observer = lab.client.observe(stored)
        lab.settle()
        #expect(observer.value == Report(text: "7"))
        #expect(ReportTable.rows.withLock { $0[7]?.value } == Report(text: "7"))
    }

    @Test func `names, and everything else`() {
        let named =
            report
            .tagged("reports", "archive")
            .face(Terminal())
            .options { $0.fetchesOnAttach = false }
        #expect(!options(of: named).fetchesOnAttach)
        #expect(Set(named.key.tags) == ["reports", "archive"])
        let lab = QueryLab(dependencies: Dependencies(ReportAPI()))
        let observer = lab.client.observe(named.options { $0.fetchesOnAttach = true })
        lab.settle()
        #expect(observer.value == Report(text: "7"))
        #expect(lab.log.first?.contains("observed by terminal") == true)
    }

    @Test func `the defaults are those of the page`() {
        let options = QueryOptions()
        #expect(options.staleAfter == .zero && options.expiryJitter == 0 && options.refreshEarly == .zero)
        #expect(options.fetchPolicy == .fresh && options.isEnabled && options.retriesOnAttach)
        #expect(options.refetchOnAttach == .ifStale && options.refetchOnForeground == .ifStale)
        #expect(options.refetchOnReconnect == nil && options.reconnectTrigger == .ifStale)
        #expect(options.pollEvery == nil && !options.pollsInBackground)
        #expect(options.debounce == .zero && options.fetchInterval == .zero && options.networkMode == .online)
        #expect(options.whenAbandoned == .finish && options.retry == .never && options.timeLimit == nil)
        #expect(options.rememberFailures == .zero && options.upstream == nil && !options.keepsPlaceholder)
        #expect(options.keepFor == .seconds(300) && options.face == nil && options.fetchesOnAttach)
        var local = options
        local.networkMode = .always
        #expect(local.reconnectTrigger == .never)
    }

    struct Person: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var name: String
    }

    struct Article: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var author: Person
    }

    @Test func `items`() async throws {
        let client = QueryLab().client
        let people = QueryDefinition<[Person]>.value("people").contains(each: Person.self)
        let articles =
            QueryDefinition<[Article]>.value("articles")
            .contains(each: Article.self)
            .contains(each: \.author)
        try client.set([Person(id: 42, name: "")], for: people)
        try client.set([Article(id: 1, author: Person(id: 42, name: ""))], for: articles)
        client.update(Person.self, 42) { $0.name = "Ann" }  // wherever a definition says that it stands
        await client.invalidate(.containing(Person.self, 42))
        #expect(client.value(of: people)?.map(\.name) == ["Ann"])
        #expect(client.value(of: articles)?.map(\.author.name) == ["Ann"])
        #expect(client.entries(matching: .all.and(.stale)).count == 2)
    }

    // MARK: The page and the sources

    @Test func `each public modifier has a row of a table, and stands in a snippet`() throws {
        let page = try #require(Page.all.first { $0.path.hasSuffix("Modifiers.md") })
        let rows = page.text.split(separator: "\n")
        let code = page.snippets.joined(separator: "\n")
        let functions = try Self.functions()
        let modifiers = functions.filter { !$0.isStatic }
        #expect(modifiers.count > 25)
        for (name, overloads) in Dictionary(grouping: modifiers, by: \.name) {
            let described = rows.count { $0.hasPrefix("| `.\(name)(") }
            #expect(described == overloads.count, "rows of .\(name) on the page, and functions in the sources")
            #expect(code.contains(".\(name)(") || code.contains(".\(name) {"), "no snippet with .\(name)")
        }
        for name in Set(functions.filter(\.isStatic).map(\.name)) {
            let described = rows.contains { $0.hasPrefix("| `.\(name)(") || $0.hasPrefix("| `.\(name)` ") }
            #expect(described, "no row for .\(name)")
        }
    }

    private struct Function {
        let name: String
        let isStatic: Bool
    }

    /// The public functions and static properties that are declared in `QueryDefinition` and its extensions.
    private static func functions() throws -> [Function] {
        let block = /^( *)(?:public )?(?:extension|struct) QueryDefinition\b.*\{$/
        let function = /^ *public (static )?(?:consuming )?(?:func|var) (\w+)/
        var functions: [Function] = []
        for file in Page.files(in: "Sources", withExtension: "swift") {
            var end: String?
            var isUnavailable = false
            for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
                if line == end { end = nil }
                if end == nil, let match = line.firstMatch(of: block) { end = "\(match.output.1)}" }
                if line.contains("@available(*, unavailable") { isUnavailable = true }
                guard end != nil, let match = line.firstMatch(of: function) else { continue }
                // A name of another library, which the compiler replaces.
                if isUnavailable {
                    isUnavailable = false
                    continue
                }
                functions.append(Function(name: String(match.output.2), isStatic: match.output.1 != nil))
            }
        }
        return functions
    }
}
