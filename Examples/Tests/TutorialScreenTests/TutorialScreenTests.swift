import Foundation
import Testing

/// Runs the program that the tutorial ends in, as its reader does.
@Suite("The tutorial's screen, as a program")
struct TutorialScreenTests {
    /// The program lies where the tests do.
    private static let program: URL? = {
        let candidates =
            Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent("tutorial-screen") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    private func run(in folder: URL, _ arguments: String...) async throws -> String {
        let process = Process()
        let output = Pipe()
        let program = try #require(Self.program, "there is no tutorial-screen beside the tests")
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        #expect(status == 0)
        // What it says fits into a pipe, so nothing need read along.
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test func `it says what the tutorial says, also at starts and after changes without a network`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("screen-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try await run(in: folder) == Self.promised(4))
        #expect(try await run(in: folder, "--offline") == Self.promised(5))
        #expect(try await run(in: folder, "--rename") == Self.promised(6))
        #expect(try await run(in: folder, "--return") == Self.promised(7))
    }

    /// What the tutorial says that the program says after a step.
    private static func promised(_ step: Int) throws -> String {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { file, _ in file.deletingLastPathComponent() }
        let file = "Sources/Pigeon/Pigeon.docc/Resources/Screen-\(step)-output.txt"
        return try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }
}
