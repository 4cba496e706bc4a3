import DemoServer
import Foundation
import Testing

@testable import Demo

@Suite("The demo, played in this process", .serialized)
@MainActor
struct DemoRunTests {
    private func play(at url: URL? = nil) async throws -> (outcome: DemoRun.Outcome, lines: [String]) {
        let printed = Printed()
        let timeline = Timeline(style: .plain) { printed.add($0) }
        let outcome = try await DemoRun(url: url, seed: 1, program: nil, timeline: timeline).play()
        return (outcome, printed.lines)
    }

    @Test func `all that it claims is so, and the books balance`() async throws {
        let (outcome, lines) = try await play()
        #expect(outcome.claims.filter { !$0.holds }.map(\.text) == [])
        #expect(outcome.rows.count == 8)
        #expect(outcome.rows.compactMap(\.tally).reduce(Tally(), +) == outcome.total)
        #expect(outcome.rows[0].tally == Tally(reads: 4, requests: 1))
        #expect(outcome.rows[1].tally == Tally(reads: 20, requests: 10))
        #expect(outcome.rows[3].tally == Tally(reads: 5, requests: 4))
        #expect(outcome.total.saved >= 20)
        #expect(outcome.total.notModified == 5)
        #expect(outcome.total.failures == 13)
        let total = outcome.total
        #expect(lines.contains { $0.hasPrefix("\(total.reads) reads served with \(total.requests) requests") })
    }

    @Test func `at another server it leaves out what needs faults, says why, and counts for itself`() async throws {
        let server = try await DemoServer.start()
        let (outcome, lines) = try await play(at: server.url)
        #expect(outcome.isAsTold)
        #expect(
            outcome.rows.filter { $0.tally == nil }.map(\.title) == [
                "6  \(Failing.title)", "8  \(OfflineChanges.title)",
            ])
        #expect(lines.contains { $0.hasPrefix("  skipped: ") })
        #expect(outcome.total.requests == server.requests.count - 1)  // it knocks before it begins
        #expect(outcome.total.notModified == server.requests.notModified)
        #expect(outcome.total.failures == 0)
    }

    @Test func `no line is too wide for a terminal of 100 columns`() async throws {
        let server = try await DemoServer.start()
        let (_, lines) = try await play(at: server.url)
        #expect(lines.filter { $0.count > Timeline.width } == [])
    }
}

/// What a timeline has printed.
private final class Printed: @unchecked Sendable {  // `text` is touched only under `lock`
    private let lock = NSLock()
    private var text: [String] = []

    var lines: [String] { lock.withLock { text } }

    func add(_ line: String) {
        lock.withLock { text.append(line) }
    }
}
