import ArgumentParser
import Foundation
import ParcelServer
import Parcels
import PigeonCore

@main
struct ParcelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parcels", usage: "parcels [options] list | show ID | search TEXT | rename ID NAME | watch ID")

    @Flag(help: "Answer from the cache only.") var offline = false
    @Flag(help: "Start a server with a few parcels.") var demo = false
    @Option(help: "The address of the server.") var server = "http://127.0.0.1:8080"
    @Option(help: "The file of the cache.") var cache: String?
    @Argument(help: "The command. With - as TEXT, each line of the input is a text.") var words: [String]

    func run() async throws {
        let demo = demo ? try await ParcelServer.start() : nil
        guard let server = demo?.url ?? URL(string: server) else { throw ValidationError("The address is not valid.") }
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first ?? .temporaryDirectory
        let file = cache.map { URL(fileURLWithPath: $0) } ?? demo?.cache ?? caches.appending(path: "parcels.sqlite")
        do {
            let tool = try ParcelTool.live(server, file, isOffline: offline) { write($0, .standardOutput) }
            // Only the main thread waits for input, so requests continue in the meantime.
            let isKnown = try await tool.run(words) { await MainActor.run { readLine() } }
            guard isKnown else { throw ValidationError("There is no such command.") }
            try await demo?.stop()
        } catch let error where !(error is ValidationError) {
            write(error.userMessage, .standardError)
            throw ExitCode.failure
        }
    }
}

// Not `print`, which holds its text back in a pipe.
private func write(_ line: String, _ file: FileHandle) { file.write(Data("\(line)\n".utf8)) }
