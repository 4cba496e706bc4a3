import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("The age of an entity")
struct EntityAgeTests {
    private func entity(at timestamp: TimeInterval, _ headers: [String: String] = [:]) -> Entity<Int> {
        Entity(content: 1, headers: headers, timestamp: timestamp)
    }

    @Test("the time is seconds since 2001, at first and after a touch those of now", .rule("Siesta 25"))
    func timestamps() {
        let before = Date.timeIntervalSinceReferenceDate
        var entity = Entity(content: 1, headers: [:])
        #expect(entity.timestamp >= before)
        entity.timestamp = 0
        entity.touch()
        #expect(entity.timestamp >= before)
        #expect(entity.timestamp <= Date.timeIntervalSinceReferenceDate)
    }

    @Test("a clock that was set back makes content old, not fresh for ages", .rule("Siesta S26"))
    func clockSetBack() {
        #expect(entity(at: 10_000).age(now: 5000) == .infinity)
        #expect(entity(at: .infinity).age(now: 5000) == .infinity)
        #expect(entity(at: .nan).age(now: 5000) == .infinity)
        #expect(entity(at: 10_000).clamped(now: 5000).timestamp == 0)
        #expect(entity(at: .nan).clamped(now: 5000).timestamp == 0)
        #expect(entity(at: -.infinity).clamped(now: 5000).timestamp == 0)
    }

    @Test("clocks that differ by less than a minute are believed", .rule("Siesta S26"))
    func skew() {
        #expect(entity(at: 5060).age(now: 5000) == 0)
        #expect(entity(at: 5061).age(now: 5000) == .infinity)
        #expect(entity(at: 5060).clamped(now: 5000).timestamp == 5000)
    }

    @Test("A time that has been is kept as it is")
    func past() {
        #expect(entity(at: 4000).age(now: 5000) == 1000)
        #expect(entity(at: 4000).clamped(now: 5000).timestamp == 4000)
    }

    @Test(
        "the server says how long the content is fresh", .rule("Siesta S27"),
        arguments: [
            (["Cache-Control": "max-age=60"], 60), (["cache-control": "public, MAX-AGE=60", "Age": "20"], 40),
            (["Cache-Control": "no-store, max-age=60"], 0), (["Cache-Control": "max-age=x"], 0),
            (["Expires": "Mon, 01 Jan 2001 00:01:30 GMT", "Date": "Mon, 01 Jan 2001 00:00:30 GMT"], 60),
            (["Expires": "Mon, 01 Jan 2001 00:00:30 GMT"], 20), (["Expires": "0"], 0), ([:], nil),
        ] as [([String: String], TimeInterval?)])
    func freshness(headers: [String: String], seconds: TimeInterval?) {
        #expect(entity(at: 10, headers).freshFor == seconds)
    }
}
