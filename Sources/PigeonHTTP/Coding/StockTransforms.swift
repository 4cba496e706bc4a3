public import Foundation

/// Converts between a date and a text in a form of the server's own.
public struct DateTransform: Transform, Sendable {
    /// The formatter that reads and writes the date.
    public let formatter: DateFormatter

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - formatter: Reads and writes the date. It must not be changed afterwards.
    ///   - codingPath: Not used. Each conversion receives the path of its value.
    public init(formatter: DateFormatter = .rfc3339, codingPath: [any CodingKey] = []) {
        self.formatter = formatter
    }

    /// Returns the date of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> Date {
        guard let date = formatter.date(from: json) else {
            throw codingPath.error("The text is not a date in the expected form.")
        }
        return date
    }

    /// Returns the text of a date.
    public func toJSON(_ value: Date, codingPath: [any CodingKey]) throws -> String {
        formatter.string(from: value)
    }
}

/// Converts an empty text to `nil`.
public struct EmptyStringTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// Returns the text, or `nil` for an empty one.
    public func from(json: String, codingPath: [any CodingKey]) throws -> String? {
        json.isEmpty ? nil : json
    }

    /// Returns the text, or `null` for an empty one.
    public func toJSON(_ value: String, codingPath: [any CodingKey]) throws -> String? {
        value.isEmpty ? nil : value
    }
}

/// Converts a text to its whole number, in both directions.
public struct IntFromStringTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// Returns the number of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> Int64 {
        guard let number = Int64(json) else { throw codingPath.error("The text is not a whole number.") }
        return number
    }

    /// Returns the number of a text.
    public func toJSON(_ value: String, codingPath: [any CodingKey]) throws -> Int64 {
        guard let number = Int64(value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: codingPath, debugDescription: "The text is not a whole number."))
        }
        return number
    }
}

/// Converts a whole number to its text, in both directions.
public struct StringFromIntTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// Returns the text of a number.
    public func from(json: Int64, codingPath: [any CodingKey]) throws -> String { String(json) }

    /// Returns the text of a number.
    public func toJSON(_ value: Int64, codingPath: [any CodingKey]) throws -> String { String(value) }
}

/// Converts between a time zone and its identifier, such as "Europe/Ljubljana".
public struct TimeZoneTransform: Transform, Sendable {
    /// The underlying error of the `DecodingError` for a text that names no time zone.
    public enum TransformError: Error, Sendable, Hashable {
        /// The system has no time zone with this identifier.
        case invalidIdentifier
    }

    /// Creates a transform.
    public init() {}

    /// Returns the time zone of an identifier.
    public func from(json: String, codingPath: [any CodingKey]) throws -> TimeZone {
        guard let zone = TimeZone(identifier: json) else {
            throw codingPath.error("The text names no time zone.", TransformError.invalidIdentifier)
        }
        return zone
    }

    /// Returns the identifier of a time zone.
    public func toJSON(_ value: TimeZone, codingPath: [any CodingKey]) throws -> String { value.identifier }
}

extension TimeZoneTransform.TransformError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .cannotParse }
}

/// Converts between an address and its text.
public struct URLTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// Returns the address of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> URL {
        guard let url = URL(string: json) else { throw codingPath.error("The text is not an address.") }
        return url
    }

    /// Returns the text of an address.
    public func toJSON(_ value: URL, codingPath: [any CodingKey]) throws -> String { value.absoluteString }
}

extension [any CodingKey] {
    /// Creates an error that names the problem and its place, without the value.
    fileprivate func error(_ what: String, _ underlying: (any Error)? = nil) -> DecodingError {
        .dataCorrupted(.init(codingPath: self, debugDescription: what, underlyingError: underlying))
    }
}
