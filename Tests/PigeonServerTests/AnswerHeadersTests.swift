import PigeonCore
import PigeonServer
import PigeonTesting
import TestSupport
import Testing

@Suite("Headers of own answers")
struct AnswerHeadersTests {
    private let lab = QueryLab()
    private let body = Array(#"{"price":5}"#.utf8)

    private func snapshot(_ staleAfter: StaleTime, age: Duration) -> Snapshot<Int> {
        let price = QueryDefinition<Int>("prices", 1) { _ in 5 }.staleAfter(staleAfter)
        _ = lab.start { [client = lab.client] in try await client.fetch(price) }
        lab.advance(by: age)
        return lab.client.snapshot(of: price)
    }

    @Test("an answer may be kept as long as its value is fresh, and says how old it is", .rule("A85"))
    func fresh() {
        let headers = AnswerHeaders(
            for: snapshot(.seconds(60), age: .milliseconds(12_900)), body: body, isPrivate: false)
        #expect(headers.cacheControl == "public, max-age=60")
        #expect(headers.age == 12)
        #expect(headers.fields.map(\.name) == ["Cache-Control", "Age", "ETag"])
    }

    @Test("it is private by default, and may be used while it is asked for again if that is allowed", .rule("A85"))
    func privacy() {
        let snapshot = snapshot(.seconds(60), age: .zero)
        let headers = AnswerHeaders(for: snapshot, body: body, staleWhileRevalidating: .seconds(30))
        #expect(headers.cacheControl == "private, max-age=60, stale-while-revalidate=30")
    }

    @Test("a stale, an optimistic and a missing value must be asked for each time", .rule("A85"))
    func stale() throws {
        #expect(
            AnswerHeaders(for: snapshot(.seconds(10), age: .seconds(10)), body: body).cacheControl
                == "private, no-cache")
        let lab = QueryLab()
        let price = QueryDefinition<Int>("prices", 2) { _ in 5 }.staleAfter(.seconds(60))
        #expect(AnswerHeaders(for: lab.client.snapshot(of: price), body: body).cacheControl == "private, no-cache")
        try lab.client.set(5, for: price)
        #expect(AnswerHeaders(for: lab.client.snapshot(of: price), body: body).cacheControl == "private, max-age=60")
        let server = lab.fetcher(returning: Void.self)
        _ = lab.start { [client = lab.client] in
            try await client.mutate("raise", optimistic: { $0.update(price) { $0 += 1 } }) { _ in
                try await server.call()
            }
        }
        #expect(lab.client.value(of: price) == 6)
        #expect(AnswerHeaders(for: lab.client.snapshot(of: price), body: body).cacheControl == "private, no-cache")
    }

    @Test("a value that is fresh until it is invalidated may be kept for a year", .rule("A85"))
    func forever() {
        #expect(
            AnswerHeaders(for: snapshot(.never, age: .zero), body: body).cacheControl == "private, max-age=31536000")
    }

    @Test("the same bytes have the same tag, in every process, and others have another one", .rule("A85"))
    func tags() {
        let snapshot = snapshot(.seconds(60), age: .zero)
        let headers = AnswerHeaders(for: snapshot, body: body)
        #expect(headers.eTag == AnswerHeaders(for: snapshot, body: body).eTag)
        #expect(headers.eTag != AnswerHeaders(for: snapshot, body: body.dropLast()).eTag)
        #expect(headers.eTag.hasPrefix("\"") && headers.eTag.hasSuffix("\""))
    }

    @Test(
        "a request that has the answer is told so", .rule("A85"),
        arguments: [
            ("%", true), ("W/%", true), ("\"a\", %", true), ("*", true), ("\"a\"", false), ("", false),
        ])
    func matching(ifNoneMatch: String, isNotModified: Bool) {
        let headers = AnswerHeaders(for: snapshot(.seconds(60), age: .zero), body: body)
        #expect(headers.isNotModified(ifNoneMatch.replacing("%", with: headers.eTag)) == isNotModified)
        #expect(!headers.isNotModified(nil))
    }
}
