public import Foundation

/// A date that is written in a form of the server's own.
public struct DateTransform: Transform, Sendable {
    /// Reads and writes it.
    public let formatter: DateFormatter

    /// Creates a transform.
    ///
    /// - Parameters:
    ///   - formatter: Reads and writes the date. Not to be changed afterwards.
    ///   - codingPath: Not used: the path is told where the transform is.
    public init(formatter: DateFormatter = .rfc3339, codingPath: [any CodingKey] = []) {
        self.formatter = formatter
    }

    /// The date of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> Date {
        guard let date = formatter.date(from: json) else { throw codingPath.error("The text is no such date.") }
        return date
    }

    /// The text of a date.
    public func toJSON(_ value: Date, codingPath: [any CodingKey]) throws -> String {
        formatter.string(from: value)
    }
}

/// A text that is missing where it is empty.
public struct EmptyStringTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// The text, or `nil` for an empty one.
    public func from(json: String, codingPath: [any CodingKey]) throws -> String? {
        json.isEmpty ? nil : json
    }

    /// The text, or `null` for an empty one.
    public func toJSON(_ value: String, codingPath: [any CodingKey]) throws -> String? {
        value.isEmpty ? nil : value
    }
}

/// The whole number of a text, in either direction.
public struct IntFromStringTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// The number of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> Int64 {
        guard let number = Int64(json) else { throw codingPath.error("The text is no whole number.") }
        return number
    }

    /// The number of a text.
    public func toJSON(_ value: String, codingPath: [any CodingKey]) throws -> Int64 {
        guard let number = Int64(value) else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: codingPath, debugDescription: "The text is no whole number."))
        }
        return number
    }
}

/// The text of a whole number, in either direction.
public struct StringFromIntTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// The text of a number.
    public func from(json: Int64, codingPath: [any CodingKey]) throws -> String { String(json) }

    /// The text of a number.
    public func toJSON(_ value: Int64, codingPath: [any CodingKey]) throws -> String { String(value) }
}

/// A time zone that is written as its identifier, such as "Europe/Ljubljana".
public struct TimeZoneTransform: Transform, Sendable {
    /// The underlying error of the `DecodingError` that a text causes which names no time zone.
    public enum TransformError: Error, Sendable, Hashable {
        /// The system knows no time zone by this identifier.
        case invalidIdentifier
    }

    /// Creates a transform.
    public init() {}

    /// The time zone of an identifier.
    public func from(json: String, codingPath: [any CodingKey]) throws -> TimeZone {
        guard let zone = TimeZone(identifier: json) else {
            throw codingPath.error("The text names no time zone.", TransformError.invalidIdentifier)
        }
        return zone
    }

    /// The identifier of a time zone.
    public func toJSON(_ value: TimeZone, codingPath: [any CodingKey]) throws -> String { value.identifier }
}

/// An address that is written as text.
public struct URLTransform: Transform, Sendable {
    /// Creates a transform.
    public init() {}

    /// The address of a text.
    public func from(json: String, codingPath: [any CodingKey]) throws -> URL {
        guard let url = URL(string: json) else { throw codingPath.error("The text is no address.") }
        return url
    }

    /// The text of an address.
    public func toJSON(_ value: URL, codingPath: [any CodingKey]) throws -> String { value.absoluteString }
}

extension [any CodingKey] {
    /// Says what is wrong where, without the value.
    fileprivate func error(_ what: String, _ underlying: (any Error)? = nil) -> DecodingError {
        .dataCorrupted(.init(codingPath: self, debugDescription: what, underlyingError: underlying))
    }
}
