import DemoServer
import Foundation
import Pigeon
import PigeonHTTP

/// Changes that were made without a network outlive the process, and the server receives each once.
enum OfflineChanges: Scene {
    static let title = "Changes made offline, and a kill"
    static let need: String? = "it needs idempotency keys and conflicts, which only the demo's own server has"

    /// The report of the process that was killed.
    struct Report: Codable, Sendable {
        var entries: [Timeline.Entry] = []
        var reads = 0
        var counts = Traffic.Counts()
        /// The list on its screen, with the changes.
        var titles: [String] = []
    }

    static let written = "Walked to the harbour, and back"
    static let improved = "A long walk to the harbour"
    static let retitled = "Notes on a warm kettle"
    static let tooLong = String(repeating: "On and on, ", count: 8) + "without an end"

    static func play(_ stage: Stage) async throws {
        guard let server = stage.server else { return }
        let folder = stage.file.deletingLastPathComponent().appendingPathComponent("journal")
        let report = try await changeElsewhere(folder, stage)
        let author = try await editMeanwhile(stage)
        let first = server.requests.count

        stage.say("the program starts again, still without a network")
        let program = try JournalProgram(in: folder, stage.api, isOnline: false, stage.timeline)
        let titles = program.titles
        stage.read("the journal shows \(titles.count) posts, \"\(titles.last ?? "")\" last")
        for item in program.client.outbox.snapshot.waiting {
            stage.say("waiting for \(age(of: item)): \(text(of: item.mutation))")
        }
        stage.check(
            "the first frame has all 4 changes, before any request",
            titles == report.titles && Set(titles).isSuperset(of: [improved, retitled, tooLong])
                && server.requests.count == first)
        try await reconnect(program, author, server, first, stage)
    }

    /// Lets another process change things, which is then killed.
    private static func changeElsewhere(_ folder: URL, _ stage: Stage) async throws -> Report {
        var report = Report()
        if let program = stage.program {
            stage.say("the program runs in another process, which will be killed; times start anew")
            let process = SecondProcess(program, "--offline-changes", folder.path, url: stage.root)
            report = try await process.run(killedBy: SIGKILL)
        } else {
            stage.say("another client changes things; times start anew")
            try await makeChanges(in: folder, stage.root, startedAt: Date()) { report = $0 }
        }
        stage.timeline.replay(report.entries)
        stage.add(reads: report.reads, report.counts)
        stage.say("\(stage.program == nil ? "the client is gone" : "the process was killed (SIGKILL)")")
        return report
    }

    /// The part of the story that happens in the other process, up to its end.
    static func makeChanges(
        in folder: URL, _ url: URL, startedAt start: Date, end: (Report) throws -> Void
    ) async throws {
        let timeline = Timeline(style: .plain) { _ in }
        timeline.begin("", age: .seconds(max(0, Date().timeIntervalSince(start))))
        let traffic = Traffic(timeline)
        let api = traffic.dispatcher(for: url)
        let program = try JournalProgram(in: folder, api, isOnline: true, timeline)
        let posts = try await program.client.fetch(.journal)
        timeline.say(.app, "the journal shows \(posts.count) posts; the user opens the first")
        guard posts.count > 1 else { throw DemoFailure.secondProcess("found no posts") }
        let tag = try await RetitlePost.tag(of: posts[0].id, api)
        await program.client.flush()

        program.setOnline(false)
        timeline.say(.app, "the network is gone; the user makes 4 changes all the same")
        let post = WritePost(title: written, body: "It was windy.")
        let changes: [any JournalChange] = [
            post, RetitlePost(id: post.id, title: improved), RetitlePost(id: posts[0].id, title: retitled, tag: tag),
            RetitlePost(id: posts[1].id, title: tooLong),
        ]
        for change in changes {
            try await program.client.enqueue(change)
            timeline.say(.app, "recorded, and on screen: \(text(of: change))")
        }
        let titles = program.titles
        try end(Report(entries: timeline.entries, reads: 1 + changes.count, counts: traffic.counts, titles: titles))
    }

    /// Changes the text of the first post, whose title the killed process has changed.
    private static func editMeanwhile(_ stage: Stage) async throws -> String {
        let body = "Somebody else wrote this in the meantime."
        stage.say("on another device, somebody changes the text of the first post")
        let _: JournalPost = try await stage.api.value(from: .patch("/posts/11", json: ["body": body]))
        return body
    }

    private static func reconnect(
        _ program: JournalProgram, _ body: String, _ server: DemoServer, _ first: Int, _ stage: Stage
    ) async throws {
        server.faults = .losingAnswers(["/posts"], times: 1)
        defer { server.faults = .none }
        stage.say("the network is back, but the first answer will get lost")
        program.setOnline(true)
        await program.client.outbox.drain(within: .seconds(5))
        let posts = try await program.client.fetch(.journal)
        stage.read("the journal shows \(posts.count) posts, \"\(posts.last?.title ?? "")\" last")
        let outbox = program.client.outbox.snapshot
        for item in outbox.setAside {
            stage.say("set aside after \(reason(of: item)), for the user to decide: \(text(of: item.mutation))")
        }
        let held: [JournalPost] = try await stage.quietly { try await stage.api.value(from: .get("/users/2/posts")) }
        let requests = server.requests.records.suffix(server.requests.count - first)
        stage.check(
            "the server received the changes in order",
            requests.filter { $0.method != "GET" }.map { "\($0.method) \($0.target) \($0.status ?? 0)" } == [
                "POST /posts 504", "POST /posts 201", "PATCH /posts/\(held.last?.id ?? .make()) 200",
                "PATCH /posts/11 412", "PATCH /posts/11 200", "PATCH /posts/12 422",
            ])
        stage.check(
            "it has each once, also the post that it was sent twice",
            held.count == 11 && held.filter { [written, improved].contains($0.title) }.count == 1)
        stage.check(
            "the conflict is solved: our title, their text",
            held.first.map { $0.title == retitled && $0.body == body } == true)
        stage.check(
            "the change that the server refused is set aside, and the journal shows what the server has",
            outbox.waiting.isEmpty && outbox.setAside.map { ($0.mutation as? RetitlePost)?.title } == [tooLong]
                && posts == held)
    }

    private static func text(of mutation: (any DurableMutation)?) -> String {
        switch mutation {
        case let post as WritePost: "write \"\(post.title)\""
        case let post as RetitlePost:
            "rename \(post.id.value.map { "post \($0)" } ?? "the new post") to \"\(post.title.shortened(to: 30))\""
        default: "a change of a newer version"
        }
    }

    private static func reason(of item: OutboxItem) -> String {
        if case .setAside(let reason) = item.stage { reason } else { "no error" }
    }

    private static func age(of item: OutboxItem) -> String {
        "\(Duration.seconds(max(0, Date().timeIntervalSince(item.enqueuedAt))).milliseconds) ms"
    }
}
