import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Progress of requests")
struct ProgressTests {
    let bench = RESTBench()

    private func metrics(_ sent: Int64, of toSend: Int64?, _ received: Int64, of toReceive: Int64?)
        -> RequestTransferMetrics
    {
        RequestTransferMetrics(
            requestBytesSent: sent, requestBytesTotal: toSend, responseBytesReceived: received,
            responseBytesTotal: toReceive)
    }

    @Test("connecting is three tenths, three quarters of it over after 2.5 seconds", .rule("Siesta 37"))
    func connecting() {
        let request = bench.resource().request(.post)
        #expect(request.progress == 0)
        bench.lab.advance(by: .milliseconds(2500))
        #expect(abs(request.progress - 0.3 * 0.75 / 1.7) < 0.001)
    }

    @Test(
        "of what is left once the answer began, sending counts 1, but not for GET; receiving 1 for GET, else a tenth",
        .rule("Siesta 37"),
        arguments: [true, false])
    func weights(isGet: Bool) {
        let request = bench.resource().request(isGet ? .get : .post)
        bench.asked[0].transferMetrics = metrics(100, of: 100, 50, of: 100)
        let expected = isGet ? 0.5 : (1 + 0.05) / 1.1
        #expect(abs(request.progress - expected) < 0.001)
    }

    @Test("it never goes back, and is less than 1 until the end", .rule("Siesta 37"))
    func monotonic() async {
        let request = bench.resource().request(.get)
        bench.asked[0].transferMetrics = metrics(0, of: 0, 10, of: 20)
        let before = request.progress
        bench.asked[0].transferMetrics = metrics(0, of: 0, 11, of: 1000)
        #expect(request.progress >= before)
        bench.asked[0].transferMetrics = metrics(0, of: 0, 1000, of: 1000)
        #expect(request.progress < 1)
        bench.answer("Ann")
        #expect(request.progress == 1)
    }

    @Test("sizes that are not known come ever closer to their end", .rule("Siesta 37"))
    func unknownSizes() {
        let request = bench.resource().request(.get)
        var last = 0.0
        for received in [1000, 10_000, 100_000, 1_000_000] as [Int64] {
            bench.asked[0].transferMetrics = metrics(0, of: 0, received, of: nil)
            #expect(request.progress > last)
            last = request.progress
        }
        #expect(last < 1)
    }

    @Test(
        "hooks hear of a provider's own metrics in the configured interval, and of 1 at the end",
        .rule("Siesta 28", "Siesta S19"))
    func hooks() async {
        bench.service.configure("**") { $0.progressReportingInterval = 1 }
        let heard = Recorder<Double>()
        let resource = bench.resource()
        let request = resource.request(.get).onProgress { heard.append($0) }
        await heard.wait(for: 1)
        for received in [25, 50] as [Int64] {
            bench.asked[0].transferMetrics = metrics(0, of: 0, received, of: 100)
            let count = heard.all.count
            bench.lab.advance(by: .seconds(1))
            await heard.wait(for: count + 1)
        }
        bench.answer("Ann")
        _ = await request.response()
        await heard.wait(for: 4)
        #expect(heard.all.count == 4)
        #expect(heard.all == heard.all.sorted())
        #expect(heard.all.last == 1)
        let expected = [0, 0.25, 0.5, 1]
        #expect(zip(heard.all, expected).allSatisfy { abs($0 - $1) < 0.001 })
    }
}
