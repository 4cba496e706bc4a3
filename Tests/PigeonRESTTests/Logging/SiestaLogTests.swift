import Foundation
import PigeonHTTP
import PigeonREST
import TestSupport
import Testing

/// The log is shared by the whole process, so these tests only look for lines with their own addresses.
@Suite("Logging by category", .serialized)
struct SiestaLogTests {
    let lines = Recorder<String>()

    /// Runs `body` with some categories enabled, and restores the settings.
    func logging(_ categories: Set<SiestaLog.Category>, _ body: () async throws -> Void) async rethrows {
        let (enabled, handler) = (SiestaLog.Category.enabled, SiestaLog.messageHandler)
        SiestaLog.messageHandler = { [lines] in lines.append("\($0.rawValue) \($1)") }
        SiestaLog.Category.enabled = categories
        defer { (SiestaLog.Category.enabled, SiestaLog.messageHandler) = (enabled, handler) }
        try await body()
    }

    func load(_ host: String) async {
        let transport = MockTransport()
        transport.answer(.get, "/a", with: .text("a secret body"))
        let service = Service(baseURL: "https://\(host)", networking: transport, client: QueryClient())
        service.configure("**") { $0.headers["Authorization"] = "Bearer secret-token" }
        _ = await service.resource("/a").withParam("key", "secret-key").load().response()
    }

    @Test("tells what is asked for, and nothing else")
    func categories() async {
        await logging([.network]) { await load("only-network.test") }
        let mine = lines.all.filter { $0.contains("only-network.test") }
        #expect(!mine.isEmpty)
        #expect(mine.allSatisfy { $0.hasPrefix("network ") })
    }

    @Test("tells of transformers, events, freshness and configuration")
    func all() async {
        await logging(.all) { await load("everything.test") }
        let categories = Set(lines.all.map { String($0.prefix { $0 != " " }) })
        #expect(categories.isSuperset(of: ["network", "pipeline", "stateChanges", "configuration"]))
    }

    @Test("holds no bodies, no header values and no queries")
    func secrets() async {
        await logging(.all) { await load("secrets.test") }
        #expect(lines.all.allSatisfy { !$0.contains("secret-token") && !$0.contains("secret body") })
        #expect(lines.all.allSatisfy { !$0.contains("secret-key") })
    }

    @Test("joins the parts of a message with spaces, as Siesta does")
    func parts() async {
        await logging([.cache]) { SiestaLog.log(.cache, ["parts.test", 7, nil]) }
        #expect(lines.all.contains("cache parts.test 7 nil"))
    }

    @Test("is silent by default")
    func silent() async {
        await logging([]) { await load("silent.test") }
        #expect(lines.all.allSatisfy { !$0.contains("silent.test") })
    }
}
