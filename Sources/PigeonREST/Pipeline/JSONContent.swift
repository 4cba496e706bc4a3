internal import Foundation

/// Converts JSON to values that can be shared between threads.
///
/// Objects are `[String: any Sendable]` and arrays `[any Sendable]`. The values in them are those of
/// `JSONSerialization`, so that code written for it finds the expected types: strings, `NSNull`, and numbers and
/// Booleans as `NSNumber`. An `NSNumber` can be cast to every Swift type that can represent its value: 1 is an `Int`,
/// an `Int64` and a `Double`.
enum JSONContent {
    /// Parses JSON in UTF-8, UTF-16 or UTF-32.
    static func parse(_ data: Data) throws -> any Sendable {
        let content = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        return sendable(content) ?? NSNull()
    }

    static func name(of content: any Sendable) -> String {
        switch content {
        case is String: "string"
        case is NSNull: "null"
        // The numbers 0 and 1 can also be cast to `Bool`.
        case let number as NSNumber: number.isBoolean ? "Boolean" : "number"
        default: "\(type(of: content))"
        }
    }

    /// Copies a JSON value that the program has edited. It may also contain dates, data, URLs and UUIDs.
    ///
    /// - Returns: The copy. `nil` if a value has another type, which may not be safe to share between threads.
    static func sendable(_ value: Any) -> (any Sendable)? {
        switch value {
        case let text as String: return text
        case let number as NSNumber: return number
        case let object as [String: Any]:
            let copy = object.compactMapValues(sendable)
            return copy.count == object.count ? copy : nil
        case let array as [Any]:
            let copy = array.compactMap(sendable)
            return copy.count == array.count ? copy : nil
        case let null as NSNull: return null
        case let date as Date: return date
        case let data as Data: return data
        case let url as URL: return url
        case let identifier as UUID: return identifier
        default: return ContentCast.isNil(value) ? NSNull() : nil
        }
    }
}

extension NSNumber {
    fileprivate var isBoolean: Bool {
        objCType.pointee == CChar(UInt8(ascii: "c")) && !(self is NSDecimalNumber)
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a transformer that parses JSON to a `[String: any Sendable]` or an `[any Sendable]`, which can be read as
/// `[String: Any]` and `[Any]`.
///
/// The values are those of `JSONSerialization`: strings, `NSNull`, and `NSNumber`s, which can be cast to every Swift
/// type that can represent their value. JSON that is neither an object nor an array is an error. An empty body stays
/// empty.
///
/// - Parameter transformErrors: True if the bodies of errors are parsed too.
public func JSONResponseTransformer(_ transformErrors: Bool = true) -> any ResponseTransformer {
    ResponseContentTransformer<Data, any Sendable>(transformErrors: transformErrors) { entity in
        let content = try JSONContent.parse(entity.content)
        guard content is [String: any Sendable] || content is [any Sendable] else {
            throw RequestError.Cause.JSONResponseIsNotDictionaryOrArray(
                actualType: type(of: content), name: JSONContent.name(of: content))
        }
        return content
    }
}
