import PigeonCore
import TestSupport
import Testing

@testable import PigeonDevtools

@Suite("texts of messages are read as they were written", .rule("V7"))
struct MessageTextsTests {
    @Test(
        "causes", .rule("V7"),
        arguments: [
            Cause.observed, .nextPage, .timeLimit, .mutation("RenameUser"), .invalidated(by: nil),
            .invalidated(by: .mutation("RenameUser")), .invalidated(by: .by("signal", .written)),
            .by("devtools", .requested), .by("devtools", .invalidated(by: .reconnect)),
            .newerItem(in: "posts", page: nil), .newerItem(in: "posts", page: 3),
            .newerItem(in: QueryKey("cats/dogs by name", 7), page: 12),
        ])
    func cause(_ cause: Cause) {
        #expect(Cause(chain: cause.chain) == cause)
    }

    @Test("a retry is read without its error, and a text that is not known as a request", .rule("V7"))
    func otherCauses() {
        let retry = Cause.retry(2, after: "timedOut", of: .invalidated(by: .poll))
        #expect(Cause(chain: retry.chain) == .retry(2, after: "", of: .invalidated(by: .poll)))
        #expect(Cause(chain: ["full moon"]) == .requested)
        #expect(Cause(chain: []) == .requested)
    }

    @Test("a name that contains \"by\" is read the same way from a recording and from its repetition", .rule("V7"))
    func nameWithBy() {
        let recorded = Cause(chain: Cause.invalidated(by: .mutation("Sort by name")).chain)
        #expect(Cause(chain: recorded.chain) == recorded)
    }

    @Test("a key that looks as with a page is read the same way from a recording and from its repetition", .rule("V7"))
    func keyWithPage() {
        let chain = Cause.newerItem(in: QueryKey("book, page 3"), page: nil).chain
        #expect(Cause(chain: chain).chain == chain)
        #expect(Cause(chain: ["newer item in posts, page 0"]) == .newerItem(in: QueryKey("posts, page 0"), page: nil))
    }

    @Test("faults", .rule("V7"), arguments: [FetchFault.failure, .hang, .delay(.seconds(3))])
    func fault(_ fault: FetchFault) {
        #expect(FetchFault(named: fault.name, delay: .seconds(3)) == fault)
    }

    @Test("a slow fetch whose delay is not recorded has no fault", .rule("V7"))
    func otherFaults() {
        #expect(FetchFault(named: "slow", delay: nil) == nil)
        #expect(FetchFault(named: nil, delay: .seconds(3)) == nil)
    }

    @Test("options, without the retry policy", .rule("V7"))
    func options() {
        var options = QueryOptions()
        options.staleAfter = .seconds(30)
        options.keepFor = .forever
        options.pollEvery = .seconds(5)
        options.networkMode = .offlineFirst
        options.refetchOnForeground = .never
        options.refetchOnReconnect = .always
        options.whenAbandoned = .cancel
        options.timeLimit = .seconds(9)
        #expect(OptionsRecord(options).options == options)
    }
}
