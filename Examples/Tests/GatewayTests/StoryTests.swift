import Foundation
import PseudoTerminals
import Testing

/// Runs `scripts/gateway`, as `make gateway` does, with the program of this build and a lighter load.
@Suite("The gateway as a fleet that loses its parts", .timeLimit(.minutes(2)))
struct StoryTests {
    @Test func `its clients see what the story promises`() async throws {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { file, _ in file.deletingLastPathComponent() }
        let gateway = try #require(TerminalProgram.file(of: "gateway"), "there is no gateway beside the tests")
        let story = try await EndedProgram(
            root.appendingPathComponent("scripts/gateway"), [gateway.path, "--seconds", "16", "--rate", "300"])
        let claims = story.output.split(separator: "\n").filter { $0.hasPrefix("yes  ") || $0.hasPrefix("NO   ") }
        let told = Comment(rawValue: story.output + story.errors)
        #expect(story.code == 0, told)
        #expect(claims.count == 6 && claims.allSatisfy { $0.hasPrefix("yes") }, told)
    }
}
