import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The retry policy, a value")
struct RetryPolicyTests {
    private func plain(limit: Int = 9, hasJitter: Bool = false) -> RetryPolicy {
        RetryPolicy(limit: limit, hasJitter: hasJitter) { _ in true }
    }

    @Test(
        "the delay doubles from 1 s, and is at most 30 s", .rule("T34", "A8"),
        arguments: [
            (0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (6, 30), (8, 30),
        ])
    func delays(_ failures: Int, _ seconds: Int) {
        #expect(plain().wait(after: Trouble.first, failures: failures, random: 0) == .seconds(seconds))
    }

    @Test(
        "with jitter the delay is drawn between zero and that", .rule("A8"),
        arguments: [
            (UInt64.min, 0.0), (UInt64.max / 2, 4.0), (UInt64.max, 8.0),
        ])
    func jitter(_ bits: UInt64, _ seconds: Double) throws {
        let wait = try #require(plain(hasJitter: true).wait(after: Trouble.first, failures: 3, random: bits))
        #expect(abs(wait.inSeconds - seconds) < 0.001)
        #expect(wait <= .seconds(8))
    }

    @Test(
        "A retry is repeated up to its limit; a negative limit is none",
        arguments: [
            (3, 2, true), (3, 3, false), (0, 0, false), (-1, 0, false),
        ])
    func limit(_ limit: Int, _ failures: Int, _ retries: Bool) {
        let wait = plain(limit: limit).wait(after: Trouble.first, failures: failures, random: 0)
        #expect((wait != nil) == retries)
    }

    @Test(
        "Retry-After is obeyed to the second, without jitter, up to what a person waits for", .rule("A8", "K30"),
        arguments: [
            (.seconds(7), .seconds(7), .seconds(7)), (.zero, .zero, .zero), (.seconds(-3), .zero, .zero),
            (.seconds(30), .seconds(30), .seconds(30)), (.seconds(31), nil, .seconds(31)),
            (.seconds(86_400), nil, .seconds(3600)),
        ] as [(Duration, Duration?, Duration)])
    func retryAfter(_ asked: Duration, _ waits: Duration?, _ unattended: Duration) {
        let error = Status(503, retryAfter: asked)
        #expect(RetryPolicy.standard.wait(after: error, failures: 0, random: 12345) == waits)
        #expect(RetryPolicy.standard.delay(after: error, failures: 0, random: 12345) == unattended)
        var patient = RetryPolicy.standard
        patient.longestRetryAfter = .seconds(7200)
        #expect(patient != .standard)
        #expect(
            patient.wait(after: error, failures: 0, random: 0) == (asked > .seconds(7200) ? nil : max(asked, .zero)))
    }

    @Test("Retry-After does not lift the limit", .rule("A8"))
    func retryAfterAtLimit() {
        let error = Status(503, retryAfter: .seconds(1))
        #expect(RetryPolicy.standard.wait(after: error, failures: 3, random: 0) == nil)
    }

    @Test(
        "of statuses, the stock policy retries 408, 425, 429 and 5xx", .rule("A8"),
        arguments: [
            (400, false), (401, false), (403, false), (404, false), (408, true), (409, false), (422, false),
            (425, true),
            (429, true), (499, false), (500, true), (502, true), (503, true), (599, true), (600, false),
        ])
    func statuses(_ status: Int, _ retries: Bool) {
        #expect((RetryPolicy.standard.wait(after: Status(status), failures: 0, random: 0) != nil) == retries)
    }

    @Test(
        "of transport errors, the stock policy retries time-outs and lost connections", .rule("A8"),
        arguments: [
            (URLError.Code.timedOut, true), (.networkConnectionLost, true), (.notConnectedToInternet, true),
            (.cannotConnectToHost, true), (.dnsLookupFailed, true), (.badURL, false), (.unsupportedURL, false),
            (.userAuthenticationRequired, false), (.cancelled, false), (.serverCertificateUntrusted, false),
        ])
    func transport(_ code: URLError.Code, _ retries: Bool) {
        #expect((RetryPolicy.standard.wait(after: URLError(code), failures: 0, random: 0) != nil) == retries)
    }

    @Test("the stock policy does not retry what it does not know, nor what no retry can mend", .rule("A8"))
    func others() {
        let errors: [any Error] = [
            Trouble.first, QueryError.noValue(key: "users"), QueryError.noFetcher(key: "users"), CancellationError(),
        ]
        for error in errors {
            #expect(RetryPolicy.standard.wait(after: error, failures: 0, random: 0) == nil)
        }
    }

    @Test("a cancellation is never retried, not even by a policy that retries everything", .rule("A9"))
    func cancellation() {
        #expect(plain().wait(after: CancellationError(), failures: 0, random: 0) == nil)
    }

    @Test("A delay that is negative is none")
    func negativeDelay() {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(-5) }, hasJitter: true) { _ in true }
        #expect(policy.wait(after: Trouble.first, failures: 0, random: .max) == .zero)
    }

    @Test("policies of the library are equal when their limits and jitter are", .rule("E12"))
    func stockEquality() {
        #expect(RetryPolicy.standard == .standard)
        #expect(RetryPolicy.never == .never)
        #expect(RetryPolicy.standard != .never)
        #expect(RetryPolicy(limit: 5) == RetryPolicy(limit: 5))
        #expect(RetryPolicy(limit: 5) != .standard)
        #expect(RetryPolicy(limit: 3, hasJitter: false) != .standard)
        var copy = RetryPolicy.standard
        #expect(copy == .standard)
        copy.limit = 9
        #expect(copy == RetryPolicy(limit: 9))
    }

    @Test("policies with other closures are equal only when they are copies of one", .rule("E12"))
    func closureEquality() {
        let policy = plain()
        var copy = policy
        #expect(copy == policy)
        #expect(plain() != policy, "closures cannot be compared")
        copy.shouldRetry = { _ in false }
        #expect(copy != policy)
        copy = policy
        copy.delay = { _ in .seconds(1) }
        #expect(copy != policy)
    }

    @Test("a computed definition joins its own fetch without a word of ignored options", .rule("E12"))
    func computedDefinition() {
        let desk = Desk()
        var computed: QueryDefinition<String> { desk.user.retry(5) }
        let tasks = [desk.fetch(computed), desk.fetch(computed)]
        #expect(desk.lab.log == ["users/1 fetching (requested)", "users/1 joined (requested)"])
        desk.fetcher.succeed(with: "Ann")
        #expect(tasks.allSatisfy { $0.value == "Ann" })
    }
}
