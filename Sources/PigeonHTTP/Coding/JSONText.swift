package import Foundation

/// Writes values as JSON.
///
/// On Apple's platforms, `JSONSerialization` ends the process for a value that JSON cannot express. So every value is
/// checked before it gets there.
package enum JSONText {
    package static func data(of value: Any, options: JSONSerialization.WritingOptions) throws(RequestDefect) -> Data {
        let object = try plain(value, at: [])
        guard JSONSerialization.isValidJSONObject(object) else {
            throw .invalidBody(reason: "the value cannot be written as JSON")
        }
        do {
            return try JSONSerialization.data(withJSONObject: object, options: options)
        } catch {
            throw .invalidBody(reason: "the value cannot be written as JSON", cause: error)
        }
    }

    static func data<T: Encodable>(encoding value: T, by encoder: JSONEncoder) throws(RequestDefect) -> Data {
        do {
            return try encoder.encode(value)
        } catch {
            throw .invalidBody(reason: "the \(T.self) cannot be written as JSON\(error.encodingPlace)", cause: error)
        }
    }

    /// The value with `NSNull` for `nil`.
    private static func plain(_ value: Any, at path: [String]) throws(RequestDefect) -> Any {
        if let optional = value as? any OptionalType {
            guard let content = optional.content else { return NSNull() }
            return try plain(content, at: path)
        }
        switch value {
        case is NSNull, is String, is NSString: return value
        case let number as NSNumber: return try finite(number.doubleValue, number, at: path)
        case let number as any BinaryFloatingPoint: return try finite(Double(number), number, at: path)
        case let number as Decimal: return try finite(number.isNaN ? .nan : 0, number, at: path)
        case is Bool, is any BinaryInteger: return value
        case let list as [Any]:
            var result: [Any] = []
            for (index, element) in list.enumerated() { result.append(try plain(element, at: path + ["[\(index)]"])) }
            return result
        case let object as [String: Any]:
            var result: [String: Any] = [:]
            for (key, element) in object { result[key] = try plain(element, at: path + [".\(key)"]) }
            return result
        default: throw invalid("a \(type(of: value))", at: path)
        }
    }

    private static func finite(_ number: Double, _ value: Any, at path: [String]) throws(RequestDefect) -> Any {
        guard number.isFinite else { throw invalid(number.isNaN ? "NaN" : "an infinite number", at: path) }
        return value
    }

    private static func invalid(_ what: String, at path: [String]) -> RequestDefect {
        let place = path.isEmpty ? "" : " at \(path.joined().printable)"
        return .invalidBody(reason: "JSON cannot express \(what)\(place)")
    }
}

/// Recognizes a `nil` inside of `Any`.
private protocol OptionalType {
    var content: Any? { get }
}

extension Optional: OptionalType {
    fileprivate var content: Any? { self }
}

extension Error {
    /// The place in a value that could not be encoded, for descriptions: " at .a.b", or nothing.
    var encodingPlace: String {
        guard case .invalidValue(let value, let context) = self as? EncodingError else { return "" }
        let path = context.codingPath.text
        let isInfinite = (value as? any BinaryFloatingPoint).map { !Double($0).isFinite } ?? false
        return (isInfinite ? ": a number that is not finite" : "") + (path.isEmpty ? "" : " at \(path)")
    }
}

extension [any CodingKey] {
    /// The path in its usual form: ".users[2].name".
    var text: String {
        map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined().printable
    }
}
