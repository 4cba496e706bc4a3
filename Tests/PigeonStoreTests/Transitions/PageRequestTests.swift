import PigeonStore
import PigeonTesting
import Testing

/// How a request for a page ends, and how its caller learns of it.
@Suite("A request for a page", .timeLimit(.minutes(1)))
struct PageRequestTests {
    @Test(
        "U15: A page that is thrown away because the cache was emptied underneath is no success, observed or not",
        arguments: PageSide.allCases, [true, false])
    func emptiedUnderneath(_ side: PageSide, _ isObserved: Bool) async {
        for setting in StoreBench.Setting.all {
            let bench = StoreBench(setting, side.kind)
            bench.place.put([5], "k", "k", isStale: false)
            let log = isObserved ? bench.watch() : nil
            let request = bench.begin(side.request())
            let second = bench.begin(side.request())
            await bench.asks(side.page("k"))
            bench.place.change { $0.data = nil }
            bench.answer([6], to: side.page("k"))
            let expected = setting.shape == .factories ? "done" : "!AdditionalRequestOnNilException"
            #expect(await bench.end(of: request) == expected, "\(setting)")
            #expect(await bench.end(of: second) == expected, "\(setting)")
            if let log { #expect(log.take().last == "!NoSuchElementError", "\(setting)") }
            #expect(bench.place.kept.data == nil)
            log?.cancel()
        }
    }
}

extension StoreBench {
    /// Waits until the origin is asked.
    fileprivate func asks(_ call: String) async {
        await wait { origin.open.contains(call) }
    }
}
