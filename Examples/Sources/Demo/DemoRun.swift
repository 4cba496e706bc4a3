import DemoServer
import Foundation
import PigeonHTTP

/// Plays all scenes, and sums up.
@MainActor
struct DemoRun {
    /// What the run came to.
    struct Outcome {
        let rows: [(title: String, tally: Tally?)]
        let total: Tally
        let claims: [(text: String, holds: Bool)]

        var isAsTold: Bool { claims.allSatisfy(\.holds) }
    }

    static let scenes: [any Scene.Type] = [
        SharedQuery.self, DiskCache.self, Polling.self, Paging.self, Changing.self, Failing.self, SecondStart.self,
        OfflineChanges.self,
    ]

    /// The server to talk to. `nil` for one of the demo's own.
    let url: URL?
    let seed: UInt64
    /// What is run for a second process. `nil` stays in this one.
    let program: URL?
    let timeline: Timeline

    func play() async throws -> Outcome {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pigeon-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        if let url {
            try await knock(at: url)
            return try await play(at: url, directory, nil)
        }
        let server = try await DemoServer.start(seed: seed)
        server.latency = Stage.latency
        let outcome = try await play(at: server.url, directory, server)
        try await server.stop()
        return outcome
    }

    /// Finds out whether a server that is not the demo's own is one that it can talk to.
    private func knock(at address: URL) async throws {
        let silent = Timeline(style: .plain) { _ in }
        do {
            let api = Traffic(silent).dispatcher(for: address)
            let _: User = try await api.value(from: .get("/users/1"))
        } catch .transport(let error) {
            throw DemoFailure.unreachable(address, reason: error.localizedDescription)
        } catch {
            throw DemoFailure.unusable(address)
        }
    }

    private func play(at url: URL, _ directory: URL, _ server: DemoServer?) async throws -> Outcome {
        let stage = try Stage(timeline: timeline, url: url, directory: directory, server: server, program: program)
        introduce(stage)
        var rows: [(title: String, tally: Tally?)] = []
        for (index, scene) in Self.scenes.enumerated() {
            let title = "\(index + 1)  \(scene.title)"
            timeline.begin(title)
            if let need = scene.need, stage.server == nil {
                timeline.print("  skipped: \(need)")
                rows.append((title, nil))
                continue
            }
            let before = stage.tally
            try await scene.play(stage)
            rows.append((title, stage.tally - before))
        }
        return sumUp(rows, stage)
    }

    private func introduce(_ stage: Stage) {
        let address = stage.root.absoluteString
        let latency = stage.server.map { ", which takes \($0.latency.milliseconds) ms to answer" } ?? ""
        let style = timeline.style
        timeline.print("Pigeon over real HTTP, to \(address)\(latency).")
        timeline.print(
            "Each line: time, who speaks (the \(style(.bold, "app")), \(style(.cyan, "pigeon"))'s event stream, or "
                + "\(style(.yellow, "http"))), and what happened.")
    }

    private func sumUp(_ rows: [(title: String, tally: Tally?)], _ stage: Stage) -> Outcome {
        let total = stage.tally
        timeline.begin("What it came to")
        let table = ClosingTable(rows: rows, total: total, counter: stage.server == nil ? "the client" : "the server")
        for line in table.lines(timeline.style) { timeline.print(line) }
        timeline.print("")
        stage.check("the server was asked less often than the program read", total.requests < total.reads)
        if let server = stage.server {
            stage.check("both ends counted the same requests", server.requests.count == stage.answered)
        }
        let missed = stage.claims.filter { !$0.holds }
        let verdict = missed.isEmpty ? "All \(stage.claims.count) claims above hold." : "Not as told:"
        timeline.print("  \(timeline.style(missed.isEmpty ? .green : .red, verdict))")
        for claim in missed { timeline.print("    \(claim.text)") }
        return Outcome(rows: rows, total: total, claims: stage.claims)
    }
}
