import DemoServer
import Foundation
import Testing

/// Runs the program as a user does, with its output in a pipe.
@Suite("The demo as a program, in a pipe", .serialized)
struct ProgramTests {
    private struct Ended {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The program lies where the tests do.
    private static let program: URL? = {
        let candidates =
            Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent("demo") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    private func run(_ arguments: String...) async throws -> Ended {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        let program = try #require(Self.program, "there is no demo beside the tests")
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // What the demo says fits into a pipe, so nothing need read along.
        let texts = try [output, errors].map { try $0.fileHandleForReading.readToEnd() ?? Data() }
        return Ended(
            status: status, output: String(decoding: texts[0], as: UTF8.self),
            errors: String(decoding: texts[1], as: UTF8.self))
    }

    @Test func `it ends well, without escape codes, and with a second process`() async throws {
        let ended = try await run()
        #expect(ended.status == 0)
        #expect(ended.errors == "")
        #expect(!ended.output.contains("\u{1B}"))
        #expect(ended.output.contains("runs itself again"))
        #expect(ended.output.contains("the process was killed (SIGKILL)"))
        #expect(ended.output.hasSuffix(" claims above hold.\n"))
    }

    @Test func `it says which server does not answer, and fails`() async throws {
        let ended = try await run("--url", "http://127.0.0.1:9")
        #expect(ended.status == 1)
        #expect(ended.errors.contains("no server answers at http://127.0.0.1:9"))
    }

    @Test func `it says what stopped it, and fails`() async throws {
        let server = try await DemoServer.start()
        server.faults = .failing(["/users/2"], status: 404)
        let ended = try await run("--url", server.url.absoluteString)
        #expect(ended.status == 1)
        #expect(
            ended.errors == "demo: could not go on: the server answered 404 (to GET \(server.url)/users/2)\n")
    }

    @Test func `it says what an address looks like`() async throws {
        let ended = try await run("--url", "nonsense")
        #expect(ended.status != 0)
        #expect(ended.errors.contains("'nonsense' is no address"))
    }
}
