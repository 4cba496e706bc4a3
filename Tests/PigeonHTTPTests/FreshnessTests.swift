import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("How long an answer is fresh")
struct FreshnessTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "By Cache-Control",
        arguments: [
            ("max-age=60", 60), ("MAX-AGE=60", 60), ("public, max-age = 60", 60), ("max-age=\"60\"", 60),
            ("max-age=0", 0), ("max-age=60, max-age=5", 60), ("no-store", 0), ("no-cache, max-age=60", 0),
            ("no-cache=\"Set-Cookie\", max-age=60", 0), ("private=\"a, no-store\", max-age=60", 60),
            ("private=\"a\\\", no-store\", max-age=60", 60), ("max-age=60, must-revalidate", 60),
            ("max-age=60, immutable", 60), ("s-maxage=5, max-age=60", 60), ("max-age=99999999999999999999", 1 << 31),
            ("max-age=-1", 0), ("max-age=soon", 0), ("max-age", 0), (",,max-age=60,,", 60), ("=;=, max-age=60", 60),
        ])
    func cacheControl(text: String, seconds: Int) {
        #expect(Answer(headers: ["Cache-Control": text]).freshness(now: Self.now) == .seconds(seconds))
    }

    @Test(
        "A server that says nothing of it is not guessed at",
        arguments: ["", "public", "must-revalidate", "immutable", "s-maxage=60", "foo=bar"])
    func silence(text: String) {
        #expect(Answer(headers: ["Cache-Control": text]).freshness(now: Self.now) == nil)
        #expect(Answer().freshness() == nil)
    }

    @Test("Several Cache-Control fields are one")
    func severalFields() {
        var headers: HTTPHeaders = ["Cache-Control": "public"]
        headers.add("max-age=60", for: "cache-control")
        #expect(Answer(headers: headers).freshness() == .seconds(60))
    }

    @Test(
        "Time spent in caches is over",
        arguments: [("20", 40), ("60", 0), ("99", 0), ("-5", 60), ("old", 60), ("", 60)])
    func age(text: String, seconds: Int) {
        let answer = Answer(headers: ["Cache-Control": "max-age=60", "Age": text])
        #expect(answer.freshness(now: Self.now) == .seconds(seconds))
    }

    @Test("Without a maximum age, from the server's date to Expires, whatever the clock here says")
    func expires() {
        var headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 1994 08:00:00 GMT", "Expires": "Sun, 06 Nov 1994 08:10:00 GMT", "Age": "60",
        ]
        #expect(Answer(headers: headers).freshness(now: Self.now) == .seconds(540))
        headers["Cache-Control"] = "max-age=70"
        #expect(Answer(headers: headers).freshness(now: Self.now) == .seconds(10))
    }

    @Test(
        "Without the server's date, from now; a date that is none is in the past",
        arguments: [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("0", 0), ("-1", 0),
            ("Sun, 06 Nov 9999 08:00:00 GMT", 1 << 31),
        ])
    func expiresFromNow(text: String, seconds: Int) {
        #expect(Answer(headers: ["Expires": text]).freshness(now: Self.now) == .seconds(seconds))
    }

    @Test("An answer that varies with everything is never fresh")
    func varying() {
        let answer = Answer(headers: ["Cache-Control": "max-age=60", "Vary": " * "])
        #expect(answer.freshness() == .zero)
        #expect(Answer(headers: ["Cache-Control": "max-age=60", "Vary": "Accept"]).freshness() == .seconds(60))
    }

    @Test(
        "a stale answer may be used for as long as Cache-Control says, in place of an error or meanwhile", .rule("D11"),
        arguments: [
            ("stale-while-revalidate=30, stale-if-error=60", 30, 60), ("Stale-While-Revalidate = 30", 30, nil),
            ("max-age=9, stale-if-error=\"60\"", nil, 60), ("stale-while-revalidate=0", 0, nil),
            ("stale-while-revalidate=30, stale-while-revalidate=60", 30, nil), ("max-age=9, private", nil, nil),
            ("stale-while-revalidate, stale-if-error=", nil, nil), ("", nil, nil),
            ("stale-while-revalidate=soon, stale-if-error=-1", nil, nil),
            ("stale-if-error=99999999999999999999", nil, 2_147_483_648), ("a=\"stale-if-error=60\"", nil, nil),
        ] as [(String, Int?, Int?)])
    func stale(text: String, revalidating: Int?, failing: Int?) {
        let answer = Answer(headers: ["Cache-Control": text])
        #expect(answer.staleWhileRevalidate == revalidating.map { Duration.seconds($0) })
        #expect(answer.staleIfError == failing.map { Duration.seconds($0) })
    }

    @Test(
        "a stale answer is never used if Cache-Control forbids it, whatever else is said", .rule("D11"),
        arguments: ["no-store", "no-cache", "no-cache=\"Set-Cookie\"", "must-revalidate", "Proxy-Revalidate"])
    func staleForbidden(text: String) {
        for control in [text, "stale-while-revalidate=30, \(text), stale-if-error=60"] {
            let answer = Answer(headers: ["Cache-Control": control])
            #expect(answer.staleWhileRevalidate == .zero && answer.staleIfError == .zero)
        }
    }

    @Test(
        "an answer that varies with everything is never used stale, and one without headers says nothing of it",
        .rule("D11"))
    func staleWithoutControl() {
        let varying = Answer(headers: ["Cache-Control": "stale-while-revalidate=30", "Vary": "*"])
        #expect(varying.staleWhileRevalidate == .zero && varying.staleIfError == .zero)
        #expect(Answer().staleWhileRevalidate == nil && Answer().staleIfError == nil)
    }

    @Test("Validators are given as the server wrote them")
    func validators() {
        let answer = Answer(headers: ["etag": "W/\"a\"", "last-modified": "yesterday"])
        #expect(answer.validators == FetchValidators(eTag: "W/\"a\"", lastModified: "yesterday"))
        #expect(Answer().validators.isEmpty)
    }

    @Test(
        "Retry-After is seconds, or a date in any of the three forms, and never negative",
        arguments: [
            ("120", 120), (" 7 ", 7), ("0", 0), ("99999999999999999999", 1 << 31),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("Sun, 06 Nov 9999 08:50:37 GMT", 1 << 31),
        ])
    func retryAfter(text: String, seconds: Int) {
        let headers: HTTPHeaders = ["Retry-After": text]
        #expect(headers.retryAfter(now: Self.now) == .seconds(seconds))
    }

    @Test(
        "A Retry-After that is neither is passed over",
        arguments: [
            "", "-5", "1.5", "soon", "1 2", "Sun, 31 Feb 1994 08:50:37 GMT", "Sun, 06 Nov 1994 25:50:37 GMT",
            "Sun, 06 Foo 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:50 GMT", "Sun, 06 Nov 1994 08:50:37 CET",
            "06/11/1994 08:50:37", "٥",
        ])
    func badRetryAfter(text: String) {
        let headers: HTTPHeaders = ["Retry-After": text]
        #expect(headers.retryAfter(now: Self.now) == nil)
        #expect(HTTPHeaders().retryAfter() == nil)
    }

    @Test("A date to retry at is measured from the server's own date")
    func skewedClock() {
        let headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 2094 08:00:00 GMT", "Retry-After": "Sun, 06 Nov 2094 08:00:30 GMT",
        ]
        #expect(headers.retryAfter(now: Self.now) == .seconds(30))
    }

    @Test("A year of two digits is at most 50 years ahead")
    func centuries() {
        let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026
        let headers: HTTPHeaders = ["Retry-After": "Thursday, 01-Jan-26 00:01:00 GMT"]
        #expect(headers.retryAfter(now: now) == .seconds(60))
        #expect((["Retry-After": "Thursday, 01-Jan-77 00:01:00 GMT"] as HTTPHeaders).retryAfter(now: now) == .zero)
        #expect((["Retry-After": "Thursday, 01-Jan-76 00:01:00 GMT"] as HTTPHeaders).retryAfter(now: now) != .zero)
    }
}
