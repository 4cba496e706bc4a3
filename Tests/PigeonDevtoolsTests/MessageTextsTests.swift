import PigeonCore
import Testing

@testable import PigeonDevtools

@Suite("V7: texts of messages are read as they were written")
struct MessageTextsTests {
    @Test(
        "V7: causes",
        arguments: [
            Cause.observed, .nextPage, .timeLimit, .mutation("RenameUser"), .invalidated(by: nil),
            .invalidated(by: .mutation("RenameUser")), .invalidated(by: .by("signal", .written)),
            .by("devtools", .requested), .by("devtools", .invalidated(by: .reconnect)),
        ])
    func cause(_ cause: Cause) {
        #expect(Cause(chain: cause.chain) == cause)
    }

    @Test("V7: a retry is read without its error, and a text that is not known as a request")
    func otherCauses() {
        let retry = Cause.retry(2, after: "timedOut", of: .invalidated(by: .poll))
        #expect(Cause(chain: retry.chain) == .retry(2, after: "", of: .invalidated(by: .poll)))
        #expect(Cause(chain: ["full moon"]) == .requested)
        #expect(Cause(chain: []) == .requested)
    }

    @Test("V7: a name that contains \"by\" is read the same way from a recording and from its repetition")
    func nameWithBy() {
        let recorded = Cause(chain: Cause.invalidated(by: .mutation("Sort by name")).chain)
        #expect(Cause(chain: recorded.chain) == recorded)
    }

    @Test("V7: faults", arguments: [FetchFault.failure, .hang, .delay(.seconds(3))])
    func fault(_ fault: FetchFault) {
        #expect(FetchFault(named: fault.name, delay: .seconds(3)) == fault)
    }

    @Test("V7: a slow fetch whose delay is not recorded has no fault")
    func otherFaults() {
        #expect(FetchFault(named: "slow", delay: nil) == nil)
        #expect(FetchFault(named: nil, delay: .seconds(3)) == nil)
    }

    @Test("V7: options, without the retry policy")
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
