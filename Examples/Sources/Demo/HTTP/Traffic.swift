import Foundation
import NIOConcurrencyHelpers
import Pigeon
import PigeonHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over HTTP, counts them where they leave the program, and tells the timeline of each answer.
final class Traffic: HTTPTransport {
    struct Counts: Codable, Sendable {
        /// Requests that were sent.
        var sent = 0
        /// Answers of status 304.
        var notModified = 0
        /// Answers that said no, and requests that got none.
        var failed = 0
        /// Requests that got no answer.
        var lost = 0

        static func + (one: Counts, other: Counts) -> Counts {
            Counts(
                sent: one.sent + other.sent, notModified: one.notModified + other.notModified,
                failed: one.failed + other.failed, lost: one.lost + other.lost)
        }
    }

    private struct Exchange: Sendable {
        let label: String
        let start: MonotonicInstant
    }

    private let transport = URLSessionTransport(configuration: .ephemeral)
    private let timeline: Timeline
    private let state = NIOLockedValueBox(Counts())

    init(_ timeline: Timeline) {
        self.timeline = timeline
    }

    /// A dispatcher whose requests go this way. A server that does not answer within 5 seconds is given up.
    func dispatcher(for root: URL) -> NetworkDispatcher {
        var policy = HTTPPolicy()
        policy.timeout = .seconds(5)
        return NetworkDispatcher(baseURL: root, transport: self, policy: policy)
    }

    var counts: Counts { state.withLockedValue { $0 } }

    func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        try await counting(request) { () throws(HTTPError) in
            try await self.transport.send(request, limit: limit, report: report)
        }
    }

    func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        try await counting(request) { () throws(HTTPError) in
            try await self.transport.stream(request, report: report)
        }
    }

    private func counting<Body>(
        _ request: TransportRequest, _ exchange: () async throws(HTTPError) -> TransportResponse<Body>
    ) async throws(HTTPError) -> TransportResponse<Body> {
        let begun = begin(request)
        do throws(HTTPError) {
            let answer = try await exchange()
            end(begun, answer.status, answer.headers)
            return answer
        } catch {
            end(begun, error)
            throw error
        }
    }

    private func begin(_ request: TransportRequest) -> Exchange {
        state.withLockedValue { $0.sent += 1 }
        let target = request.url.path + (request.url.query.map { "?\($0)" } ?? "")
        return Exchange(label: "\(request.method.rawValue) \(target)", start: timeline.now)
    }

    private func end(_ exchange: Exchange, _ status: Int, _ headers: HTTPHeaders) {
        state.withLockedValue { counts in
            if status == 304 { counts.notModified += 1 }
            if status >= 400 { counts.failed += 1 }
        }
        let wait = headers["Retry-After"].map { ", Retry-After: \($0)" } ?? ""
        report(exchange, "\(status)\(wait)", isTrouble: status >= 400)
    }

    private func end(_ exchange: Exchange, _ error: HTTPError) {
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
