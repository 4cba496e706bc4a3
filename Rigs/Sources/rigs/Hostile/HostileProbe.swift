internal import ArgumentParser
internal import Foundation
internal import PigeonHTTP
internal import Synchronization

/// Asks a hostile server for one answer by all verbs at once, in a process of its own, and prints how each ended.
struct HostileProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var port: Int
    @Option var transport: TransportKind
    @Option var answer: String
    @Option(parsing: .upToNextOption) var verbs = Verb.allCases

    /// The longest time that a verb may take beside its total timeout. Generous, as the machine is shared.
    private static let patience = Duration.seconds(10)
    static let totalTimeout = Duration.milliseconds(1500)
    static let secret = "SECRET-OF-THE-RIG"

    func run() async throws {
        try await Self.probe(port: port, transport: transport, answer: answer, verbs: verbs)
    }

    @concurrent
    private static func probe(port: Int, transport: TransportKind, answer: String, verbs: [Verb]) async throws {
        let dispatcher = try dispatcher(port: port, transport: transport)
        let request = BasicRequest(
            method: .get, path: "/\(answer)", headers: ["Cookie": "session=\(secret)", "X-Session": secret])
        let folder = try Folder()
        let before = ProcessFigures.memory
        ProcessFigures.resetMostMemory()
        let ended = Ended()
        let start = ContinuousClock.now
        for verb in verbs {
            Task {
                let outcome = await verb.perform(dispatcher, request, in: folder)
                ended.add(verb, "\(outcome)\t\(ContinuousClock.now - start)")
            }
        }
        while ended.count < verbs.count, ContinuousClock.now - start < totalTimeout + patience {
            try await Task.sleep(for: .milliseconds(5))
        }
        for verb in verbs { say("\(verb)\t\(ended[verb] ?? "overdue")") }
        say("memory\t\((ProcessFigures.mostMemory - before) >> 20)")
        withExtendedLifetime(folder) {}
    }

    /// A dispatcher with secrets of every kind, for the server at a port alone.
    private static func dispatcher(port: Int, transport: TransportKind) throws -> NetworkDispatcher {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw ValidationError("\(port) is no port") }
        var policy = HTTPPolicy()
        policy.timeout = .milliseconds(700)
        policy.totalTimeout = totalTimeout
        policy.bodyLimit = 1 << 20
        policy.headers = ["X-Api-Key": secret]
        policy.authorization = TokenAuthorization(token: secret) { _ in secret }
        return NetworkDispatcher(baseURL: url, transport: transport.make(), policy: policy)
    }

    private final class Ended: Sendable {
        private let outcomes = Mutex<[Verb: String]>([:])

        var count: Int { outcomes.withLock { $0.count } }
        subscript(verb: Verb) -> String? { outcomes.withLock { $0[verb] } }
        func add(_ verb: Verb, _ outcome: String) { outcomes.withLock { $0[verb] = outcome } }
    }
}
