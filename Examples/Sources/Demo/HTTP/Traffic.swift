import Foundation
import NIOConcurrencyHelpers
import Pigeon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Counts requests where they leave the program, and tells the timeline of each answer.
final class Traffic: Sendable {
    struct Counts: Codable, Sendable {
        /// Requests that were sent.
        var sent = 0
        /// Answers of status 304.
        var notModified = 0
        /// Answers that said no, and requests that got none.
        var failed = 0
        /// Requests that got no answer.
        var lost = 0
    }

    struct Exchange: Sendable {
        let label: String
        let start: MonotonicInstant
    }

    private let timeline: Timeline
    private let state = NIOLockedValueBox(Counts())

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    var counts: Counts { state.withLockedValue { $0 } }

    func begin(_ request: URLRequest) -> Exchange {
        state.withLockedValue { $0.sent += 1 }
        let target = request.url.map { $0.path + ($0.query.map { "?\($0)" } ?? "") } ?? "?"
        return Exchange(label: "\(request.httpMethod ?? "GET") \(target)", start: timeline.now)
    }

    func end(_ exchange: Exchange, _ response: HTTPURLResponse) {
        state.withLockedValue { counts in
            if response.statusCode == 304 { counts.notModified += 1 }
            if response.statusCode >= 400 { counts.failed += 1 }
        }
        let wait = response.value(forHTTPHeaderField: "Retry-After").map { ", Retry-After: \($0)" } ?? ""
        report(exchange, "\(response.statusCode)\(wait)", isTrouble: response.statusCode >= 400)
    }

    func end(_ exchange: Exchange, _ error: URLError) {
        state.withLockedValue { counts in
            counts.failed += 1
            counts.lost += 1
        }
        report(exchange, "no answer", isTrouble: true)
    }

    private func report(_ exchange: Exchange, _ outcome: String, isTrouble: Bool) {
        let taken = exchange.start.duration(to: timeline.now)
        timeline.say(.http, "\(exchange.label) → \(outcome) (\(taken.milliseconds) ms)", isTrouble: isTrouble)
    }
}
