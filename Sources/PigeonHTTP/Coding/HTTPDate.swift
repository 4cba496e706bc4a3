internal import Foundation

/// Reads the dates of header fields (RFC 9110, 5.6.7).
enum HTTPDate {
    /// Returns the date of a text in the current form, "Sun, 06 Nov 1994 08:49:37 GMT", or in either of the old ones.
    ///
    /// - Parameter now: Determines the century of a year with two digits: the year is at most 50 years ahead.
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
        let present = CivilDate(daysSince1970: now.dayAndSecond(as: Int.self)?.day ?? 0).year
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
        return Date(day: days, second: time[0] * 3600 + time[1] * 60 + time[2])
    }

    /// A number of one to four digits.
    private static func number(_ word: Substring) -> Int? {
        guard (1...4).contains(word.utf8.count), word.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(word)
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}

extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }
}

extension Date {
    /// Creates the date of a second of a day. A date after January 2038 has more seconds than an `Int` of 32 bits.
    ///
    /// - Parameters:
    ///   - day: Counted from 1970.
    ///   - second: Counted from the day's beginning. Can be in another day.
    ///   - fraction: The fraction of a second that is added.
    init<Number: FixedWidthInteger>(day: Number, second: Number, fraction: Double = 0) {
        self.init(timeIntervalSince1970: Double(Int64(day) * 86_400 + Int64(second)) + fraction)
    }

    /// The day in UTC counted from 1970, and the second of that day. `nil` if the number of the day does not fit.
    func dayAndSecond<Number: FixedWidthInteger>(as type: Number.Type) -> (day: Number, second: Number)? {
        let seconds = timeIntervalSince1970.rounded(.down)
        let day = (seconds / 86_400).rounded(.down)
        let rest: Double = seconds - day * 86_400
        guard let count = Number(exactly: day), let second = Number(exactly: rest) else { return nil }
        return (count, second)
    }
}

/// A day of the Gregorian calendar, without the cost of `Calendar`.
struct CivilDate {
    let year: Int
    let month: Int
    let day: Int

    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970 days: Int) {
        // Counted from 1 March of the year 0, so that a leap day is the last day of its year.
        let days = days + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
