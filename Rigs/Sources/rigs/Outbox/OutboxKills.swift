internal import ArgumentParser
internal import Foundation
internal import GRDB

/// Kills programs that change things by an outbox, and compares what the server has made with what they had accepted.
struct OutboxKills: Rig {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract:
            "Kills programs with an outbox: all that was accepted is made, once, in order, and nothing after a clear.")

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["lost", "made twice", "out of order", "made after a clear", "kills of one", "kills of two"] {
            trial.count(figure, 0)
        }
        try await withThrowingTaskGroup { group in
            // Programs mostly wait, so several files are tried at the same time: in three lanes by one program, in two by
            // two.
            for lane in 0..<5 {
                group.addTask { try await attack(trial, lane: lane, runners: lane < 3 ? 1 : 2) }
            }
            try await group.waitForAll()
        }
    }

    @concurrent
    private static func attack(_ trial: Trial, lane: Int, runners: Int) async throws {
        var random = SeededRandom(trial.seed, lane)
        let server = OutboxServer(seed: random.next())
        let listener = try await RawServer(keepsHeads: false, server.answer)
        var round = 0
        repeat {
            // A file lives through many crashes before the next one begins.
            var scene = try OutboxScene(
                trial: trial, server: server, port: listener.port, lane: lane, runners: runners, name: "\(round)")
            for _ in 0..<3 {
                for _ in 0..<4 {
                    round += 1
                    try await scene.crash(&random, round: round)
                }
                try await scene.check(round: round)
                if trial.isOver { break }
            }
        } while !trial.isOver
        await listener.stop()
    }
}

/// One file, the programs that use it, and what they have reported.
struct OutboxScene {
    private let trial: Trial
    private let server: OutboxServer
    private let port: Int
    private let lane: Int
    private let runners: Int
    private let name: String
    private let folder: Folder
    private let file: URL
    private var ledger: OutboxLedger

    init(trial: Trial, server: OutboxServer, port: Int, lane: Int, runners: Int, name: String) throws {
        (self.trial, self.server, self.port) = (trial, server, port)
        (self.lane, self.runners, self.name) = (lane, runners, name)
        folder = try Folder()
        file = folder.file("outbox.sqlite")
        ledger = OutboxLedger(isShared: runners > 1)
    }

    /// Lets the programs work, and kills each at a moment of its own.
    mutating func crash(_ random: inout SeededRandom, round: Int) async throws {
        let children = try (0..<runners).map { try start(["--first", "\(Self.first(round, $0))"]) }
        for child in children where !random.chance(8) { await ready(child) }
        let moments = children.map { _ in
            random.number(5..<(random.chance(4) ? 1000 : 300))
        }
        if runners > 1, random.chance(2) {
            // Another one takes over from a program that the system has stopped, and that does not know it.
            try await Task.sleep(for: .milliseconds(moments[1] / 2))
            let stopped = random.pick(children)
            stopped.signal(SIGSTOP)
            try await Task.sleep(for: .milliseconds(random.number(250..<600)))
            stopped.signal(SIGCONT)
            trial.count("stopped past the lease")
        }
        var now = 0
        for (child, moment) in zip(children, moments).sorted(by: { $0.1 < $1.1 }) {
            try await Task.sleep(for: .milliseconds(moment - now))
            now = moment
            child.kill()
        }
        trial.count(runners > 1 ? "kills of two" : "kills of one", children.count)
        for child in children {
            let ending = await child.wait(upTo: .seconds(20))
            if ending != .signal(SIGKILL) {
                violate("round \(round): a program ended by itself: \(ending), \(child.complaint)")
            }
        }
        ledger.add(children.map(\.lines))
    }

    /// Lets a program make what waits, and checks what the server has made.
    mutating func check(round: Int) async throws {
        server.setSound(true)
        defer { server.setSound(false) }
        let child = try start(["--first", "\(Self.first(round, 3))", "--drains"])
        let ending = await child.wait(upTo: .seconds(60))
        ledger.add([child.lines])
        if ending != .exit(0) || child.lines.last?.hasSuffix("drained") != true {
            violate("round \(round): not all could be made: \(ending), \(child.complaint), \(child.lines.suffix(8))")
        }
        let log = server.takeLog()
        for text in log.violations { violate("round \(round): \(text)") }
        for finding in ledger.findings(effects: server.effects(of: name)) {
            if let figure = finding.figure { trial.count(figure) }
            let history = ledger.history(of: finding.id, requests: log.requests)
            // The finding comes last, because a log may have only the end.
            let lines = history + [finding.text]
            violate("round \(round), \(runners) at a time:\n    \(lines.joined(separator: "\n    "))")
        }
        trial.count("accepted", ledger.takeAcceptedCount())
        trial.count("requests", log.requests.count)
        try checkFile(round)
    }

    private func violate(_ text: String) { trial.violate("lane \(lane), \(text)") }

    private func checkFile(_ round: Int) throws {
        let result = try DatabaseQueue(path: file.path).read { database in
            try String.fetchAll(database, sql: "PRAGMA integrity_check")
        }
        if result != ["ok"] { violate("round \(round): the file is damaged: \(result.joined(separator: ", "))") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        for name in names where name.contains("damaged") { violate("round \(round): \(name) was moved aside") }
    }

    private func start(_ arguments: [String]) throws -> Child {
        try Child(
            [
                "outbox-program", "--file", file.path, "--port", "\(port)", "--scene", name, "--seed",
                "\(trial.seed &+ UInt64(lane))",
            ] + arguments, in: folder.url)
    }

    private static func first(_ round: Int, _ writer: Int) -> Int { (round * 4 + writer) * RigUser.mostChanges }

    private func ready(_ child: Child) async {
        let start = ContinuousClock.now
        while child.lines.isEmpty, ContinuousClock.now - start < .seconds(20) {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
