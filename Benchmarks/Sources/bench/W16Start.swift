internal import ArgumentParser
internal import Foundation
internal import GRDB
internal import PigeonCore
internal import PigeonSQLite

/// W16: what an app pays at its start: it opens a client with 10,000 records on disk, and shows a screen of 20. Each start is
/// that of a process of its own, whose database the system has in memory.
func measureStart(_ recorder: Recorder) async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let (file, plain) = (folder.next(), folder.next())
    try await StartScreen.fill(file)
    try FloorStore(at: plain).write(try (0..<StartScreen.count).map { try JSONEncoder().encode([Article($0)]) })
    var (starts, floors): ([StartFigures], [StartFigures]) = ([], [])
    for _ in 0..<recorder.repetitions {
        starts.append(try StartScreen.start(["--file", file.path]))
        floors.append(try StartScreen.start(["--file", plain.path, "--plain"]))
    }
    func record(_ name: String, _ subject: String, _ unit: Figure.Unit, _ value: (StartFigures) -> Double) {
        recorder.record(name, subject, unit, starts.map(value).middle, floor: floors.map(value).middle)
    }
    record("W16.start", "open a client with 10,000 records of 1 KB, and show 20", .milliseconds) {
        $0.nanoseconds / 1e6
    }
    record("W16.memory", "what that adds to the memory of the process", .bytes) { $0.bytes }
    record("W16.reads", "how often it reads from files", .calls) { $0.reads }
}

/// The figures of one start.
struct StartFigures: Codable {
    var nanoseconds: Double
    var bytes: Double
    var reads: Double

    /// The totals of this process until now.
    fileprivate static func now() throws -> StartFigures {
        func fields(_ name: String) throws -> [Substring] {
            try String(contentsOfFile: "/proc/self/\(name)", encoding: .utf8).split { $0.isWhitespace }
        }
        let (memory, io) = (try fields("statm"), try fields("io"))
        guard memory.count > 1, let pages = Double(memory[1]), let place = io.firstIndex(of: "syscr:"),
            place + 1 < io.count,
            let reads = Double(io[place + 1])
        else { throw CocoaError(.fileReadCorruptFile) }
        return StartFigures(
            nanoseconds: Double(DispatchTime.now().uptimeNanoseconds),
            bytes: pages * Double(sysconf(Int32(_SC_PAGESIZE))),
            reads: reads)
    }
}

/// A screen that shows the first articles of a list.
enum StartScreen {
    static let count = 10_000
    static let shown = 20

    static func article(_ id: Int) -> QueryDefinition<Article> {
        QueryDefinition("w7", id) { _ in Article(id) }.staleAfter(.minutes(5)).persisted()
    }

    static func fill(_ file: URL) async throws {
        let client = QueryClient(cache: try SQLiteQueryCache(at: file))
        for id in 0..<count { try client.set(Article(id), for: article(id)) }
        await client.flush()
        // The client decides by time how many records it writes together, on which the order of the pages depends.
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        try await DatabaseQueue(path: file.path, configuration: configuration).writeWithoutTransaction { database in
            try database.execute(sql: "VACUUM")
            try database.checkpoint(.truncate)
        }
    }

    /// Shows the screen, and returns once each row has its value.
    static func show(_ file: URL) throws {
        let client = QueryClient(cache: try SQLiteQueryCache(at: file))
        let rows = (0..<shown).map { client.observe(article($0)) }
        for row in rows {
            guard let value = row.value else { throw CocoaError(.fileReadCorruptFile) }
            use(value.id)
        }
        withExtendedLifetime(client) {}
    }

    fileprivate static func showPlain(_ file: URL) throws {
        let store = try FloorStore(at: file)
        for id in 0..<shown { use(try store.read(id).map { try JSONDecoder().decode([Article].self, from: $0) }) }
    }

    fileprivate static func start(_ arguments: [String]) throws -> StartFigures {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["start"] + arguments
        process.standardOutput = output
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(StartFigures.self, from: text)
    }
}

/// One start, in a process of its own.
struct Start: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a screen once, and prints what that took. The bench starts it.", shouldDisplay: false)

    @Option var file: String
    @Flag var plain = false

    func run() async throws {
        let url = URL(fileURLWithPath: file)
        let before = try StartFigures.now()
        if plain { try StartScreen.showPlain(url) } else { try StartScreen.show(url) }
        let after = try StartFigures.now()
        let figures = StartFigures(
            nanoseconds: after.nanoseconds - before.nanoseconds, bytes: after.bytes - before.bytes,
            reads: after.reads - before.reads)
        print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
    }
}
