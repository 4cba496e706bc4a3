import Foundation
import PigeonREST
import Testing

/// The messages that were logged.
private final class Lines: @unchecked Sendable {  // `lock` guards the variable
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }

    func add(_ line: String) {
        lock.withLock { lines.append(line) }
    }
}

@Suite("Siesta: logging", .serialized)
struct LoggingTests {
    @Test("the categories, and the sets of them")
    func categories() {
        #expect(
            SiestaLog.Category.allCases == [
                .network, .networkDetails, .pipeline, .stateChanges, .observers, .staleness, .cache, .configuration,
            ])
        #expect(SiestaLog.Category.common == [.network, .stateChanges, .staleness])
        #expect(SiestaLog.Category.detailed == SiestaLog.Category.all.subtracting([.networkDetails]))
        #expect(SiestaLog.Category.all.count == 8)
        let sets: [Set<SiestaLog.Category>] = [.common, .detailed, .all]
        #expect(sets.map(\.count) == [3, 7, 8])
    }

    @Test("what is logged goes to the handler, if its category is enabled")
    func messages() {
        let lines = Lines()
        let (enabled, handler) = (SiestaLog.Category.enabled, SiestaLog.messageHandler)
        // guide: `SiestaLog.messageHandler`
        SiestaLog.messageHandler = { category, message in lines.add("\(category): \(message)") }
        SiestaLog.Category.enabled = [.cache]
        SiestaLog.Category.enabled.insert(.pipeline)
        SiestaLog.log(.cache, ["read", 7, nil, "done"])
        SiestaLog.log(.configuration, ["unheard"])
        (SiestaLog.Category.enabled, SiestaLog.messageHandler) = (enabled, handler)
        #expect(lines.all.contains { $0.hasPrefix("cache: read 7") })
        #expect(!lines.all.contains { $0.contains("unheard") })
    }
}
