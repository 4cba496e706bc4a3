import Foundation
import Testing

@testable import PigeonHTTP

/// On older watches, `Int` has 32 bits. Here it has 64, so the calculations are tested with `Int32`, and by their
/// types.
@Suite("Dates and times where Int has 32 bits")
struct NarrowIntTests {
    @Test(
        "A date is made from a day and a second, and read as them, whatever type counts the days",
        arguments: [
            (-719_528, 0, -62_167_219_200), (-1, 86_399, -1), (24_855, 11_647, 2_147_483_647),
            (24_855, 11_648, 2_147_483_648), (49_710, 23_296, 4_294_967_296), (2_932_896, 86_399, 253_402_300_799),
        ] as [(Int32, Int32, Double)])
    func days(day: Int32, second: Int32, seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(Date(day: day, second: second) == date)
        #expect(date.dayAndSecond(as: Int32.self).map { [$0.day, $0.second] } == [day, second])
    }

    @Test("A day whose number does not fit is none")
    func farDay() {
        let seconds = Double(Int32.max) * 86_400
        let last = Date(timeIntervalSince1970: seconds).dayAndSecond(as: Int32.self)
        #expect(last?.day == .max)
        let next = Date(timeIntervalSince1970: seconds + 86_400).dayAndSecond(as: Int32.self)
        #expect(next?.day == nil)
    }

    @Test(
        "Dates after January 2038 are read and written",
        arguments: [
            ("Tue, 19 Jan 2038 03:14:08 GMT", "2038-01-19T03:14:08Z", 2_147_483_648),
            ("Sun, 07 Feb 2106 06:28:16 GMT", "2106-02-07T06:28:16Z", 4_294_967_296),
            ("Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, String, Double)])
    func late(header: String, text: String, seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(HTTPDate.date(header, now: Date(timeIntervalSince1970: 0)) == date)
        #expect(RFC3339.date(text) == date)
        #expect(RFC3339.text(date) == text)
    }

    @Test(
        "Seconds in a header are counted up to 2³¹",
        arguments: [
            ("60", 60), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
            ("99999999999999999999", 2_147_483_648),
        ] as [(String, Int64)])
    func seconds(text: String, seconds: Int64) {
        // The types are the point: in an `Int` of 32 bits, the limit would be 0 and every response stale.
        let parsed: Int64? = DeltaSeconds.parse(text)
        #expect(parsed == seconds)
        let whole: Int64 = DeltaSeconds.whole(Double(text) ?? 0)
        #expect(whole == seconds)
        let maxAge: Int64? = CacheControl("max-age=\(text)").maxAge
        #expect(maxAge == seconds)
    }
}
