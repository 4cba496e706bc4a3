internal import ArgumentParser
internal import Foundation

/// Answers requests as no server should, and looks at how they end.
struct Hostile: Rig {
    static let configuration = CommandConfiguration(
        abstract: "Answers badly: each request ends in time, in bounded memory, and sends no secret to another origin.")

    @OptionGroup var options: RigOptions

    /// How many processes ask at the same time.
    private static let width = 3

    /// How much memory the five requests of a process may take together, in MB. `URLSession` on Linux keeps up to 64 MB
    /// for each stream whose reader is slower, and small pieces take several times their size.
    private static let mostMemory = 640

    private struct Task: Sendable {
        let answer: NastyAnswer
        let transport: TransportKind
        var name: String { "\(answer.name) over \(transport)" }
    }

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["requests", "crashes", "overdue", "secrets sent elsewhere"] { trial.count(figure, 0) }
        let other = try await RawServer { _, wire in
            try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        }
        let server = try await server(otherPort: other.port)
        let folder = try Folder()
        var passes = 0
        var random = SeededRandom(trial.seed)
        var rest: ArraySlice<Task> = []
        var asked: Set<String> = []
        let all = tasks(trial)
        while !trial.isOver || asked.isEmpty {
            // Again and again, each time in another order.
            if rest.isEmpty {
                rest = all.shuffled(using: &random)[...]
                passes += 1
            }
            let some = rest.prefix(width)
            rest = rest.dropFirst(width)
            asked.formUnion(some.map(\.name))
            await withTaskGroup { group in
                for task in some { group.addTask { await probe(task, server: server, folder, trial) } }
            }
        }
        trial.count("of \(all.count) answers", asked.count)
        trial.count("passes", rest.isEmpty ? passes : passes - 1)
        for head in other.requests where head.contains(HostileProbe.secret) || isSabotaged {
            trial.count("secrets sent elsewhere")
            trial.violate("another origin was sent a secret: \(head.replacing("\r\n", with: " | "))")
        }
        await server.stop()
        await other.stop()
    }

    private static func tasks(_ trial: Trial) -> [Task] {
        let asksAll = ProcessInfo.processInfo.environment["PIGEON_RIGS_FOUNDATION"] == "1"
        var tasks: [Task] = []
        for transport in TransportKind.allCases {
            for answer in NastyAnswer.catalogue {
                guard transport != .urlSession || !answer.endsFoundation || asksAll else {
                    trial.count("left out as known of URLSession")
                    continue
                }
                tasks.append(Task(answer: answer, transport: transport))
            }
        }
        return tasks
    }

    private static func server(otherPort: Int) async throws -> RawServer {
        let answers = Dictionary(uniqueKeysWithValues: NastyAnswer.catalogue.map { ("/" + $0.name, $0) })
        return try await RawServer { request, wire in
            guard let answer = answers[request.path] else {
                return try await wire.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            try await answer.script(wire, otherPort)
        }
    }

    private static func probe(_ task: Task, server: RawServer, _ folder: Folder, _ trial: Trial) async {
        let name = task.name
        do {
            let child = try Child(
                [
                    "hostile-probe", "--port", "\(server.port)", "--transport", "\(task.transport)", "--answer",
                    task.answer.name,
                ],
                in: folder.url)
            let ending = await child.wait(upTo: .seconds(30))
            if ending != .exit(0) {
                trial.count("crashes")
                trial.violate("\(name): the process ended by \(ending): \(child.complaint)")
            }
            for line in child.lines { judge(line, of: task, name, trial) }
        } catch {
            trial.violate("\(name): \(error)")
        }
    }

    private static func judge(_ line: String, of task: Task, _ name: String, _ trial: Trial) {
        let parts = line.split(separator: "\t").map(String.init)
        guard parts.count >= 2 else { return }
        if parts[0] == "memory" {
            let memory = Int(parts[1]) ?? 0
            trial.raise("MB at most", to: memory)
            if memory > mostMemory { trial.violate("\(name): \(memory) MB of memory") }
            return
        }
        trial.count("requests")
        if parts[1] == "overdue" {
            trial.count("overdue")
            trial.violate("\(name): \(parts[0]) has not ended in time")
        }
        if task.answer.isBroken, parts[1].hasPrefix("ok 2") {
            trial.violate("\(name): \(parts[0]) took a broken answer for a whole one")
        }
    }
}
