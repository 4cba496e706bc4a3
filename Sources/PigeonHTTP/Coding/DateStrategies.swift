public import Foundation

extension JSONEncoder.DateEncodingStrategy {
    /// Writes dates as RFC 3339 has them, in whole seconds of UTC: "2024-02-29T12:30:00Z". A fraction is cut off.
    ///
    /// A date outside of the years 0 to 9999 is an `EncodingError`.
    public static let rfc3339 = JSONEncoder.DateEncodingStrategy.custom { date, encoder in
        guard let text = RFC3339.text(date) else {
            // Not the date itself, whose description ends the process where it is far off.
            throw EncodingError.invalidValue(
                date.timeIntervalSince1970,
                .init(codingPath: encoder.codingPath, debugDescription: "RFC 3339 has the years 0 to 9999 alone."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension JSONDecoder.DateDecodingStrategy {
    /// Reads dates as RFC 3339 has them, with any offset, with or without a fraction of a second.
    public static let rfc3339 = JSONDecoder.DateDecodingStrategy.custom { decoder in
        let container = try decoder.singleValueContainer()
        guard let date = RFC3339.date(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is no RFC 3339 date.")
        }
        return date
    }
}

extension DateFormatter {
    /// Writes and reads dates as "yyyy-MM-dd'T'HH:mm:ssZZZZZ" in UTC. Shared: do not change it.
    ///
    /// The strategies of the same name are faster, and read fractions too.
    public static let rfc3339: DateFormatter = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssZZZZZ"
        return formatter
    }()
}

extension JSONEncoder {
    /// Writes dates as RFC 3339 has them. Shared, because making one costs as much as writing a small object.
    package static let rfc3339 = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .rfc3339
        return encoder
    }()
}
