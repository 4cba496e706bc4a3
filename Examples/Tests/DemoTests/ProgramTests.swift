import DemoServer
import Foundation
import PseudoTerminals
import Testing

/// Runs the program as a user does, without a terminal.
@Suite("The demo as a program, without a terminal", .serialized)
struct ProgramTests {
    @Test func `it ends well, without escape codes, and with a second process`() async throws {
        let ended = try await EndedProgram("demo")
        #expect(ended.code == 0)
        #expect(ended.errors == "")
        #expect(!ended.output.contains("\u{1B}"))
        #expect(ended.output.contains("runs itself again"))
        #expect(ended.output.contains("the process was killed (SIGKILL)"))
        #expect(ended.output.hasSuffix(" claims above hold.\n"))
    }

    @Test func `it says which server does not answer, and fails`() async throws {
        let ended = try await EndedProgram("demo", ["--url", "http://127.0.0.1:9"])
        #expect(ended.code == 1)
        #expect(ended.errors.contains("no server answers at http://127.0.0.1:9"))
    }

    @Test func `it says what stopped it, and fails`() async throws {
        let server = try await DemoServer.start()
        server.faults = .failing(["/users/2"], status: 404)
        let ended = try await EndedProgram("demo", ["--url", server.url.absoluteString])
        #expect(ended.code == 1)
        #expect(
            ended.errors == "demo: could not go on: the server answered 404 (to GET \(server.url)/users/2)\n")
    }

    @Test func `it says what an address looks like`() async throws {
        let ended = try await EndedProgram("demo", ["--url", "nonsense"])
        #expect(ended.code != 0)
        #expect(ended.errors.contains("'nonsense' is no address"))
    }
}
