import PigeonStore
import PigeonTesting
import TestSupport
import Testing

/// Tests how a request for a page ends, and how its caller is notified.
@Suite("A request for a page", .timeLimit(.minutes(1)))
struct PageRequestTests {
    /// The reason why there is no page.
    enum Reason: String, CaseIterable, Sendable {
        case noData = "there is no data"
        case failed = "the data could not be loaded"
        case failedBefore = "the page could not be loaded, and is not to be tried again"
        case emptied = "the cache was emptied while the page was loaded"
        case broken = "the page could not be loaded"

        var error: String {
            switch self {
            case .noData, .emptied: "AdditionalRequestOnNilException"
            case .failed: "AdditionalRequestOnErrorStateException"
            case .failedBefore, .broken: "boom"
            }
        }
    }

    /// Requests a page that cannot be loaded for a reason.
    private func refuse<Answer>(
        _ reason: Reason, _ side: PageSide, _ bench: StoreLab, _ ask: (_ again: Bool) -> Answer
    ) async -> Answer {
        switch reason {
        case .noData: return ask(true)
        case .failed:
            let first = bench.begin(.validate)
            await bench.asks("fetch")
            bench.fail()
            _ = await bench.end(of: first)
            return ask(true)
        case .failedBefore:
            bench.place.put([5], "k", "k", isStale: false)
            let first = bench.begin(side.request())
            await bench.asks(side.page("k"))
            bench.fail(to: side.page("k"))
            _ = await bench.end(of: first)
            return ask(false)
        case .emptied:
            bench.place.put([5], "k", "k", isStale: false)
            let answer = ask(true)
            await bench.asks(side.page("k"))
            bench.place.change { $0.data = nil }
            bench.answer([6], to: side.page("k"))
            return answer
        case .broken:
            bench.place.put([5], "k", "k", isStale: false)
            let answer = ask(true)
            await bench.asks(side.page("k"))
            bench.fail(to: side.page("k"))
            return answer
        }
    }

    @Test(
        "A publisher that may fail says why there is no page", .rule("U18"), arguments: Reason.allCases,
        PageSide.allCases)
    func failingPublisher(_ reason: Reason, _ side: PageSide) async throws {
        for setting in StoreLab.Setting.all {
            let bench = StoreLab(setting, side.kind)
            let store = try #require(bench.store as? AnyPaginationStoreFlowable<Int, [Int]>)
            let ends = Locked<[String]>([])
            let subscription = await refuse(reason, side, bench) { again in
                side.failingRequest(of: store, again: again).sink { end in
                    let text = if case .failure(let error) = end { error.name } else { "finished" }
                    ends.withLock { $0.append(text) }
                } receiveValue: {
                    ends.withLock { $0.append("value") }
                }
            }
            await bench.wait { !ends.withLock { $0.isEmpty } }
            #expect(ends.withLock { $0 } == [reason.error], "\(setting)")
            subscription.cancel()
        }
    }

    @Test(
        "A publisher that never fails ends as before, and the event stream says why there is no page", .rule("U18"),
        arguments: Reason.allCases, PageSide.allCases)
    func event(_ reason: Reason, _ side: PageSide) async {
        for setting in StoreLab.Setting.all {
            let bench = StoreLab(setting, side.kind)
            let outcome = await refuse(reason, side, bench) { bench.begin(side.request(again: $0)) }
            let end = await bench.end(of: outcome)
            #expect(end == (setting.shape == .factories ? "done" : "!\(reason.error)"), "\(setting)")
            let direction = side == .prev ? "previous" : "next"
            let expected =
                switch reason {
                case .noData, .emptied: "\(direction) page failed: \(AdditionalRequestOnNilException())"
                case .failed: "\(direction) page failed: \(AdditionalRequestOnErrorStateException())"
                case .failedBefore, .broken: "\(direction) page failed: Broken"
                }
            #expect(bench.lab.log.count { $0 == "items/1 \(expected)" } == 1, "\(setting): \(bench.lab.log)")
        }
    }

    @Test(
        "A publisher that may fail sends once for a page, and at the end of the list", .rule("U18"),
        arguments: PageSide.allCases
    )
    func success(_ side: PageSide) async throws {
        let bench = StoreLab(StoreLab.Setting(shape: .factories), side.kind)
        bench.place.put([5], "k", "k", isStale: false)
        let store = try #require(bench.store as? AnyPaginationStoreFlowable<Int, [Int]>)
        let ends = Locked<[String]>([])
        for round in 1...2 {
            let subscription = side.failingRequest(of: store, again: true).sink { _ in
                ends.withLock { $0.append("end") }
            } receiveValue: {
                ends.withLock { $0.append("value") }
            }
            if round == 1 {
                await bench.asks(side.page("k"))
                bench.answer([6], to: side.page("k"))
            }
            await bench.wait { ends.withLock { $0.count } == 2 * round }
            subscription.cancel()
        }
        #expect(ends.withLock { $0 } == ["value", "end", "value", "end"])
        #expect(bench.place.text.hasPrefix("\(side.adding([6], to: [5]))"))
    }

    @Test(
        "A page that is thrown away because the cache was emptied underneath is no success, observed or not",
        .rule("U15"),
        arguments: PageSide.allCases, [true, false])
    func emptiedUnderneath(_ side: PageSide, _ isObserved: Bool) async {
        for setting in StoreLab.Setting.all {
            let bench = StoreLab(setting, side.kind)
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

extension PageSide {
    /// Makes the request in the form that can fail.
    func failingRequest(
        of store: AnyPaginationStoreFlowable<Int, [Int]>, again: Bool
    ) -> AnyPublisher<Void, any Error> {
        guard self == .prev, let store = store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]> else {
            return store.requestNextData(continueWhenError: again)
        }
        return store.requestPrevData(continueWhenError: again)
    }
}
