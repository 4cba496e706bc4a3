import Foundation
import PseudoTerminals
import Testing

/// Runs the program that the tutorial ends in, as its reader does.
@Suite("The tutorial's screen, as a program")
struct TutorialScreenTests {
    private func run(in folder: URL, _ arguments: String...) async throws -> String {
        let ended = try await EndedProgram("tutorial-screen", arguments, environment: ["TMPDIR": folder.path])
        #expect(ended.code == 0)
        return ended.output
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
