import Foundation
import PigeonHTTP
import TestServer
import Testing

@Suite("Dates of RFC 3339")
struct DateTests {
    @Test(
        "They are read with any offset and fraction",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T12:30:45Z", 1_709_209_845),
            ("2024-02-29t12:30:45z", 1_709_209_845),
            ("2024-02-29 12:30:45Z", 1_709_209_845), ("2024-02-29T13:30:45+01:00", 1_709_209_845),
            ("2024-02-29T13:30:45+0100", 1_709_209_845), ("2024-02-28T23:00:45-13:30", 1_709_209_845),
            ("2024-02-29T12:30:45.5Z", 1_709_209_845.5), ("2024-02-29T12:30:45.250000Z", 1_709_209_845.25),
            ("2024-02-29T12:30:45.1234567890123456789Z", 1_709_209_845.123_456_8), ("1969-12-31T23:59:59Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("2016-12-31T23:59:60Z", 1_483_228_800),
        ])
    func reading(text: String, seconds: Double) throws {
        let date = try #require(decoded(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-5)
    }

    @Test(
        "What is no date is refused",
        arguments: [
            "", "now", "2024-02-29", "2024-02-29T12:30Z", "2024-02-29T12:30:45", "2024-02-30T12:30:45Z",
            "2023-02-29T12:30:45Z", "1900-02-29T12:30:45Z", "2024-13-01T12:30:45Z", "2024-00-01T12:30:45Z",
            "2024-01-00T12:30:45Z", "2024-04-31T12:30:45Z", "2024-01-01T24:00:00Z", "2024-01-01T12:60:00Z",
            "2024-01-01T12:00:61Z", "2024-01-01T12:00:00.Z", "2024-01-01T12:00:00+1:00", "2024-01-01T12:00:00+24:00",
            "2024-01-01T12:00:00+01:60", "2024-01-01T12:00:00Zx", " 2024-01-01T12:00:00Z", "24-01-01T12:00:00Z",
            "2024-1-1T12:00:00Z", "+024-01-01T12:00:00Z", "2024-01-01T12:00:0٣Z",
        ])
    func refusing(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test("They are written in whole seconds of UTC, the rest cut off")
    func writing() throws {
        #expect(try encoded(0) == "1970-01-01T00:00:00Z")
        #expect(try encoded(1_709_209_845.999) == "2024-02-29T12:30:45Z")
        #expect(try encoded(-0.5) == "1969-12-31T23:59:59Z")
        #expect(try encoded(-62_167_219_200) == "0000-01-01T00:00:00Z")
        #expect(try encoded(253_402_300_799) == "9999-12-31T23:59:59Z")
    }

    @Test(
        "A date that RFC 3339 cannot write is an error", arguments: [253_402_300_800, -62_167_219_201, .infinity, .nan])
    func unwritable(seconds: Double) {
        #expect(throws: EncodingError.self) { try encoded(seconds) }
    }

    @Test("Every day of 800 years is written as Foundation's formatter writes it, and read back")
    func everyDay() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .rfc3339
        // Begins with 1583, the first whole year of the Gregorian calendar.
        let days = (0..<292_194).map { Date(timeIntervalSince1970: Double($0) * 86_400 - 12_212_553_600 + 1) }
        let texts = try JSONDecoder().decode([String].self, from: encoder.encode(days))
        #expect(texts.first == "1583-01-01T00:00:01Z")
        for index in stride(from: 0, to: days.count, by: 997) {
            #expect(DateFormatter.rfc3339.string(from: days[index]) == texts[index])
            #expect(DateFormatter.rfc3339.date(from: texts[index]) == days[index])
        }
        #expect(Set(texts).count == days.count)
        #expect(try JSONDecoder.rfc3339.decode([Date].self, from: encoder.encode(days)) == days)
    }

    private func decoded(_ text: String) -> Date? {
        guard let data = try? JSONEncoder().encode([text]) else { return nil }
        return try? Answer(body: data).decode([Date].self).first
    }

    private func encoded(_ seconds: Double) throws -> String? {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .rfc3339
        return try JSONDecoder().decode(
            [String].self, from: encoder.encode([Date(timeIntervalSince1970: seconds)])
        ).first
    }
}
