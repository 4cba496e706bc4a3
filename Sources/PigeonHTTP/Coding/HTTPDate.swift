internal import Foundation

/// Reads the dates of header fields (RFC 9110, 5.6.7).
enum HTTPDate {
    /// The date of a text in the form of today, "Sun, 06 Nov 1994 08:49:37 GMT", or in either of the old ones.
    ///
    /// - Parameter now: Says which century a year of two digits is in: none is more than 50 years ahead.
    static func date(_ text: String, now: Date) -> Date? {
        let words = text.split { " ,-:".contains($0) }
        switch words.count {
        case 8 where words[7] == "GMT" || words[7] == "UTC":
            guard let year = year(words[3], now: now) else { return nil }
            return date(year, words[2], words[1], words[4...6])
        case 7:
            // "Sun Nov  6 08:49:37 1994"
            guard let year = year(words[6], now: now) else { return nil }
            return date(year, words[1], words[2], words[3...5])
        default: return nil
        }
    }

    private static func year(_ word: Substring, now: Date) -> Int? {
        guard let number = number(word) else { return nil }
        guard word.utf8.count == 2 else { return word.utf8.count == 4 ? number : nil }
        let present = CivilDate(daysSince1970: Int((now.timeIntervalSince1970 / 86_400).rounded(.down))).year
        let year = present - present % 100 + number
        return year > present + 50 ? year - 100 : year
    }

    private static func date(
        _ year: Int, _ month: Substring, _ day: Substring, _ time: ArraySlice<Substring>
    ) -> Date? {
        let time = time.compactMap(number)
        guard let month = months.firstIndex(of: month.lowercased()), let day = number(day), time.count == 3,
            let days = CivilDate(year: year, month: month + 1, day: day)?.daysSince1970,
            time[0] < 24, time[1] < 60, time[2] < 61
        else { return nil }
        return Date(timeIntervalSince1970: Double(days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]))
    }

    /// One to four digits.
    private static func number(_ word: Substring) -> Int? {
        guard (1...4).contains(word.utf8.count), word.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(word)
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}

extension UInt8 {
    /// Whether it is an ASCII digit.
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}
