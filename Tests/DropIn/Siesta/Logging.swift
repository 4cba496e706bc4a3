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

@Suite("Siesta: logging")
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

    /// What a program does when it begins. Not called here: other tests listen to the log of the process.
    private func begin(_ lines: Lines) {
        // guide: `SiestaLog.messageHandler`
        SiestaLog.messageHandler = { category, message in lines.add("\(category): \(message)") }
        SiestaLog.Category.enabled = .common
        SiestaLog.Category.enabled.insert(.pipeline)
    }

    @Test("programs log messages of their own, made of parts")
    func messages() {
        let lines = Lines()
        _ = begin
        SiestaLog.messageHandler(.cache, "The handler may be called, and by default prints.")
        SiestaLog.log(.cache, ["read", 7, nil, lines.all.count])
    }
}
