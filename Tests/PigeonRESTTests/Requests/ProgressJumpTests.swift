import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("progress from one moment to the next", .rule("U9"))
struct ProgressJumpTests {
    /// The allowed change of a request's progress after an event.
    enum Move: Sendable {
        /// The progress does not change.
        case stays
        /// The progress increases by at most a hundredth.
        case hardlyMoves
        case grows
    }

    struct Step: Sendable {
        let name: String
        var seconds = 0.0
        var sent: Int64 = 0
        var toSend: Int64?
        var received: Int64 = 0
        var toReceive: Int64?
        let move: Move
    }

    struct Scenario: Sendable, CustomTestStringConvertible {
        let name: String
        let method: RequestMethod
        let steps: [Step]
        var testDescription: String { name }
    }

    static let scenarios = [
        Scenario(
            name: "GET of a known size", method: .get,
            steps: [
                Step(name: "connects", seconds: 1, move: .grows),
                Step(name: "first byte, after long", seconds: 900, received: 1, toReceive: 1000, move: .hardlyMoves),
                Step(name: "time passes", seconds: 20, received: 1, toReceive: 1000, move: .stays),
                Step(name: "half", received: 500, toReceive: 1000, move: .grows),
                Step(name: "all", received: 1000, toReceive: 1000, move: .grows),
            ]),
        Scenario(
            name: "GET whose size becomes known", method: .get,
            steps: [
                Step(name: "connects", seconds: 1, toSend: 0, move: .grows),
                Step(name: "first byte", toSend: 0, received: 1, move: .hardlyMoves),
                Step(name: "more", toSend: 0, received: 10, move: .grows),
                Step(name: "size is known", toSend: 0, received: 10, toReceive: 20, move: .stays),
                Step(name: "another size", toSend: 0, received: 10, toReceive: 1_000_000, move: .stays),
                Step(name: "size is not known", toSend: 0, received: 10, toReceive: -1, move: .stays),
                Step(name: "a lot more", toSend: 0, received: 1_000_000, toReceive: -1, move: .grows),
            ]),
        Scenario(
            name: "GET of which only the size is known", method: .get,
            steps: [
                Step(name: "waits", seconds: 3, toSend: 0, move: .grows),
                Step(name: "size is known", toSend: 0, toReceive: 1000, move: .stays),
                Step(name: "first byte", toSend: 0, received: 1, toReceive: 1000, move: .hardlyMoves),
                Step(name: "more than all", toSend: 0, received: 2000, toReceive: 1000, move: .grows),
                Step(name: "more still", toSend: 0, received: 20_000, toReceive: 1000, move: .stays),
            ]),
        Scenario(
            name: "POST of a known size", method: .post,
            steps: [
                Step(name: "connects", seconds: 1, move: .grows),
                Step(name: "first byte sent, after long", seconds: 900, sent: 1, toSend: 1000, move: .hardlyMoves),
                Step(name: "time passes", seconds: 120, sent: 1, toSend: 1000, move: .stays),
                Step(name: "sends", sent: 1000, toSend: 1000, move: .grows),
                Step(name: "waits", seconds: 10, sent: 1000, toSend: 1000, move: .grows),
                Step(
                    name: "first byte of the answer", sent: 1000, toSend: 1000, received: 1, toReceive: 1000,
                    move: .hardlyMoves),
                Step(name: "answer", sent: 1000, toSend: 1000, received: 1000, toReceive: 1000, move: .grows),
            ]),
        Scenario(
            name: "POST whose size becomes known", method: .post,
            steps: [
                Step(name: "first bytes", sent: 10, toSend: -1, move: .hardlyMoves),
                Step(name: "more", sent: 11, toSend: -1, move: .grows),
                Step(name: "size is known", sent: 11, toSend: 100, move: .stays),
                Step(name: "all", sent: 100, toSend: 100, move: .grows),
            ]),
        Scenario(
            name: "POST that is sent again from the start", method: .post,
            steps: [
                Step(name: "half", sent: 500, toSend: 1000, move: .grows),
                Step(name: "from the start", sent: 0, toSend: 1000, move: .stays),
                Step(name: "half again", sent: 500, toSend: 1000, move: .grows),
            ]),
    ]

    @Test("what becomes known moves nothing, and what is done moves it forward", .rule("U9"), arguments: scenarios)
    func scenario(_ scenario: Scenario) async {
        let bench = RESTBench()
        let request = bench.resource().request(scenario.method)
        var last = request.progress
        #expect(last == 0)
        for step in scenario.steps {
            bench.asked[0].transferMetrics = RequestTransferMetrics(
                requestBytesSent: step.sent, requestBytesTotal: step.toSend, responseBytesReceived: step.received,
                responseBytesTotal: step.toReceive)
            bench.lab.clock.advance(by: .milliseconds(Int64(step.seconds * 1000)))
            let next = request.progress
            switch step.move {
            case .stays: #expect(next == last, "\(step.name)")
            case .hardlyMoves: #expect(next >= last && next - last <= 0.01, "\(step.name)")
            case .grows: #expect(next > last, "\(step.name)")
            }
            #expect(next < 1, "\(step.name)")
            last = next
        }
        bench.answer("Ann")
        #expect(request.progress == 1)
    }

    @Test("a transfer of known size ends near 1, whatever was not known of it", .rule("U9"), arguments: [true, false])
    func end(isGet: Bool) {
        let bench = RESTBench()
        let request = bench.resource().request(isGet ? .get : .post)
        bench.lab.clock.advance(by: .seconds(2))
        _ = request.progress
        for received in [1, 5000, 90_000] as [Int64] {
            bench.asked[0].transferMetrics = RequestTransferMetrics(
                requestBytesSent: 10, requestBytesTotal: 10, responseBytesReceived: received,
                responseBytesTotal: received > 1 ? 90_000 : nil)
            _ = request.progress
        }
        #expect(request.progress > 0.99)
    }
}
