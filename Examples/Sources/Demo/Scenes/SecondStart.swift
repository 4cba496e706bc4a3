import Foundation
import Pigeon
import PigeonHTTP
import PigeonSQLite

/// The program starts again, in a process of its own, and shows what the first one left before it asks for anything.
enum SecondStart: Scene {
    static let title = "A second start, with data at once"

    /// What a start came to.
    struct Report: Codable, Sendable {
        var entries: [Timeline.Entry] = []
        var reads = 0
        /// From the start of the process to the first data on screen.
        var firstData = Duration.zero
        /// How many requests had been sent by then.
        var requestsBefore = 0
        var counts = Traffic.Counts()
        /// Whether what the file had is what the server then said.
        var isSame = false
    }

    static func play(_ stage: Stage) async throws {
        await stage.client.flush()
        let report: Report
        if let program = stage.program {
            stage.say("the program runs itself again on the same SQLite file; times start anew")
            report = try await SecondProcess(program, "--second-start", stage.file.path, url: stage.root).run()
        } else {
            stage.say("a new client opens the SQLite file; times start anew")
            report = try await run(on: stage.file, stage.root, startedAt: Date())
        }
        stage.timeline.replay(report.entries)
        stage.add(reads: report.reads, report.counts)
        stage.check(
            "data on screen \(report.firstData.milliseconds) ms after the start, before any request",
            report.requestsBefore == 0 && report.reads > 0)
        stage.check("the server confirmed it", report.isSame && report.counts.failed == 0)
    }

    /// What the second process does: shows what the file has, and then asks whether that is still so.
    static func run(on file: URL, _ url: URL, startedAt start: Date) async throws -> Report {
        let timeline = Timeline(style: .plain) { _ in }
        timeline.begin("", age: .seconds(max(0, Date().timeIntervalSince(start))))
        timeline.say(.app, "the process has started")
        let client = QueryClient(cache: try SQLiteQueryCache(at: file))
        let traffic = Traffic(timeline)
        let api = traffic.dispatcher(for: url)
        let events = client.onEvent { timeline.say($0) }
        defer { events.cancel() }
        var report = Report()

        let users = Query(.users(api), client: client)
        let found = users.value
        report.firstData = timeline.elapsed
        report.requestsBefore = traffic.counts.sent
        if let found {
            report.reads += 1
            timeline.say(.app, "the list shows \(found.count) users, \(found.first?.name ?? "nobody") first")
        }
        let posts = PaginatedQuery(.feed(api), client: client)
        if !posts.items.isEmpty {
            report.reads += 1
            timeline.say(.app, "the feed shows \(posts.items.count) posts")
        }
        client.invalidateWithoutWaiting(.users(api))
        timeline.say(.app, "the list goes on showing \(users.value?.count ?? 0) while it asks again")
        while users.snapshot.isFetching { try await Task.sleep(for: .milliseconds(1)) }
        timeline.say(.app, "the list shows \(users.value?.count ?? 0) users, confirmed")
        report.reads += 2
        report.isSame = found != nil && users.value == found && users.snapshot.error == nil
        report.entries = timeline.entries
        report.counts = traffic.counts
        return report
    }
}
