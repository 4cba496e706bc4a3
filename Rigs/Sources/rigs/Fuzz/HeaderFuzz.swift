internal import Foundation
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// What header fields say of time, as the freshness of answers, and of character sets.
enum HeaderFuzz {
    private static let longest = Duration.seconds(1 << 31)

    /// Dates in all three forms (RFC 9110, 5.6.7), written by `DateFormatter`.
    static func checkDates(_ random: inout SeededRandom) throws -> String? {
        let date = Date(timeIntervalSince1970: Double(random.number(0..<3_000_000_000)))
        let expires = date.addingTimeInterval(Double(random.number(-10_000..<100_000_000)))
        // The years of two digits are read as ones near to now.
        let forms = ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"]
        let dateText = text(of: date, random.pick(forms))
        let expiresText = text(of: expires, random.pick(forms))
        let found = try freshness(["Date": dateText, "Expires": expiresText])
        let expected = Duration.seconds(max(0, Int(expires.timeIntervalSince(date))))
        guard found == expected, !isSabotaged else {
            return "Date: \(dateText), Expires: \(expiresText): \(String(describing: found)) in place of \(expected)"
        }
        let old = text(of: expires, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'")
        let broken = [random.mutated(dateText), random.mutated(expiresText), random.mutated(old)]
        for text in broken + [
            random.text(of: ["Sun", ", ", "06", "Nov", " ", "1994", "99", ":", "GMT", "-"], count: 0..<14)
        ] {
            if let complaint = try checkRange(["Date": dateText, "Expires": text]) { return complaint }
            if let complaint = try checkRange(["Date": text, "Expires": expiresText]) { return complaint }
        }
        return nil
    }

    static func checkCaching(_ random: inout SeededRandom) throws -> String? {
        let harmless = [
            "public", "must-revalidate", "s-maxage=7", "x=\"a, max-age=1\"", "private=\"b\"", "immutable", "",
        ]
        let seconds = random.number(0..<3_000_000)
        var directives = (0..<random.number(0..<5)).map { _ in random.pick(harmless) }
        directives.insert(
            random.pick(["max-age=\(seconds)", "Max-Age=\(seconds)", "max-age=\"\(seconds)\""]),
            at: random.number(0..<directives.count + 1))
        let text = directives.joined(separator: random.pick([",", ", ", " ,\t"]))
        let found = try freshness(["Cache-Control": text])
        guard found == .seconds(seconds) else { return "Cache-Control: \(text): \(String(describing: found))" }
        let age = random.text(of: ["1", "9", "-", " ", "99999999999999999999", "x"], count: 0..<4)
        return try checkRange(["Cache-Control": random.mutated(text), "Age": age, "Vary": random.mutated("*, a")])
    }

    /// No header leads to less than no time, or to more than the longest.
    private static func checkRange(_ headers: [String: String]) throws -> String? {
        guard let found = try freshness(headers) else { return nil }
        return found < .zero || found > longest ? "\(headers): fresh for \(found)" : nil
    }

    private static func freshness(_ headers: [String: String]) throws -> Duration? {
        guard let url = URL(string: "https://rigs.test/") else { throw URLError(.badURL) }
        return try Response<Data?>.makeMockResponse(with: URLRequest(url: url), statusCode: .ok, headers: headers)
            .freshness()
    }

    static func text(of date: Date, _ format: String) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    static func checkCharsets(_ random: inout SeededRandom) throws -> String? {
        let text = random.text(of: ["a", "ü", "漢", "\n"], count: 0..<20)
        let sound = try answer(
            Array(text.utf8), type: "text/plain; charset=\(random.pick(["utf-8", "UTF-8", "\"utf-8\""]))")
        // A byte order mark at the beginning is no part of the text.
        if !text.isEmpty, !text.unicodeScalars.starts(with: ["\u{FEFF}"]), try sound.decodeString() != text {
            return "\(text.debugDescription) is not the same in UTF-8"
        }
        let names = [
            "utf-8", "utf-16", "utf-32", "utf-16le", "shift_jis", "euc-jp", "iso-2022-jp", "windows-1252", "macintosh",
            "latin1", "no-such",
        ]
        let type = random.mutated("text/plain; charset=\(random.pick(names))").filter {
            $0.isASCII && $0 != "\r" && $0 != "\0"
        }
        _ = try? answer(random.bytes(random.number(0..<40)), type: type).decodeString()
        _ = try? answer(random.bytes(random.number(0..<40)), type: "application/json").decodeJSONObject()
        return nil
    }

    private static func answer(_ bytes: [UInt8], type: String) throws -> Response<Data?> {
        guard let url = URL(string: "https://rigs.test/") else { throw URLError(.badURL) }
        return try .makeMockResponse(
            with: URLRequest(url: url), data: Data(bytes), statusCode: .ok, headers: ["Content-Type": type])
    }
}
