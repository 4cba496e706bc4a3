import ArgumentParser
import DemoServer
import Foundation

@main
struct DemoServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-server",
        abstract: "Serves invented users, posts and comments as JSON, with latency and faults on demand.",
        discussion: """
            curl 'http://127.0.0.1:8080/posts?_page=1&_limit=5'
            curl -X PUT http://127.0.0.1:8080/_control -d '{"latencyMS": 120, "failing": ["/posts"], "status": 503}'
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on, 0 for a free one.")
    var port = 8080

    @Option(help: "The seed of the invented content.")
    var seed: UInt64 = 1

    func run() async throws {
        let server = try await DemoServer.start(host: host, port: port, seed: seed)
        // Not `print`, which holds its text back in a pipe for as long as the server runs.
        FileHandle.standardOutput.write(Data("Serving \(server.url) until interrupted.\n".utf8))
        try await server.waitUntilStopped()
    }
}
