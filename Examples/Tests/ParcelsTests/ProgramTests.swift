import DemoHTTP
import Foundation
import ParcelServer
import PigeonHTTP
import PseudoTerminals
import Testing

@testable import Parcels

@Suite("The tool for parcels, over HTTP", .timeLimit(.minutes(1)))
struct ProgramTests {
    let folder = TemporaryFolder()
    let printed = Lines()

    /// Runs a command with a client, a cache and connections of its own, as a process does.
    private func run(_ words: String..., server: URL, isOffline: Bool = false) async throws -> [String] {
        let file = folder.url.appendingPathComponent("parcels.sqlite")
        let tool = try ParcelTool.live(server, file, isOffline: isOffline, output: printed.append)
        let isKnown = try await tool.run(words) { nil }
        #expect(isKnown)
        return printed.take()
    }

    @Test func `the second list transfers no page again, and offline the third needs no server`() async throws {
        let server = try await ParcelServer.start()
        let first = try await run("list", server: server.url)
        #expect(
            first == [
                "1 Books, packed", "2 Lamp, shipped", "3 Boots, shipped", "4 Seeds, packed", "5 Teapot, delivered",
            ])
        #expect(try await run("list", server: server.url) == first)
        #expect(server.requests.records.map(\.status) == [200, 200, 200, 304, 304, 304])
        #expect(server.requests.records.map(\.isConditional) == [false, false, false, true, true, true])
        try await server.stop()
        #expect(try await run("list", server: server.url, isOffline: true) == first)
    }

    @Test func `each command works over HTTP`() async throws {
        let server = try await ParcelServer.start()
        #expect(try await run("show", "2", server: server.url) == ["2 Lamp, shipped, at North"])
        #expect(try await run("search", "bo", server: server.url) == ["1 Books, packed", "3 Boots, shipped"])
        let rename = try await run("rename", "3", "Shoes", server: server.url)
        #expect(rename == ["Shoes, not confirmed yet", "Shoes, confirmed"])
        #expect(try await run("show", "3", server: server.url) == ["3 Shoes, shipped, at Harbour"])
        #expect(try await run("watch", "1", server: server.url) == ["packed", "shipped", "delivered"])
        let error = await #expect(throws: HTTPError.self) {
            _ = try await run("rename", "4", "Teapot", server: server.url)
        }
        #expect(error?.userMessage == "The server refused the request.")
        try await server.stop()
    }

    // MARK: The program

    private func runProgram(_ arguments: String..., typing input: String = "") async throws -> EndedProgram {
        try await EndedProgram("parcels", arguments, input: input)
    }

    @Test func `the program can be tried without a server`() async throws {
        let list = try await runProgram("--demo", "list")
        #expect(list.code == 0 && list.errors == "" && list.output.hasPrefix("1 Books, packed\n2 Lamp, shipped\n"))
        let watch = try await runProgram("watch", "1", "--demo")
        #expect(watch.code == 0 && watch.output == "packed\nshipped\ndelivered\n")
    }

    @Test func `of the lines of the input, the last one is searched for`() async throws {
        let search = try await runProgram("--demo", "search", "-", typing: "b\nbo\nboots\n")
        #expect(search.code == 0 && search.errors == "" && search.output == "3 Boots, shipped\n")
    }

    @Test func `an error is one line for people, and ends the program with 1`() async throws {
        let cache = folder.url.appendingPathComponent("none.sqlite").path
        let offline = try await runProgram("--offline", "list", "--cache", cache)
        #expect(offline.code == 1 && offline.output == "" && offline.errors == "This is not available offline.\n")
        let missing = try await runProgram("--demo", "show", "9")
        #expect(missing.code == 1 && missing.errors == "This was not found.\n")
    }

    @Test func `an unknown command ends with 64, and with the usage`() async throws {
        let cache = folder.url.appendingPathComponent("none.sqlite").path
        let unknown = try await runProgram("--cache", cache, "lists")
        #expect(unknown.code == 64 && unknown.output == "")
        #expect(unknown.errors.contains("There is no such command.") && unknown.errors.contains("list | show ID"))
        #expect(try await runProgram("--offline", "--cache", cache, "watch", "1").code == 64)
    }
}
