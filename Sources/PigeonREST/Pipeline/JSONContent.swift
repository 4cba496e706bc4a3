internal import Foundation

/// JSON as values that may go from one task to another.
///
/// Objects are `[String: any Sendable]`, arrays `[any Sendable]`; in them are `String`, `Bool`, `NSNull`, `Int` for
/// whole numbers, and `Double` for others and for those that no `Int` holds.
enum JSONContent {
    /// The content of a JSON text, in UTF-8, UTF-16 or UTF-32.
    static func parse(_ data: Data) throws -> any Sendable {
        sendable(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    /// What a value is called, for errors.
    static func name(of content: any Sendable) -> String {
        switch content {
        case is String: "string"
        case is Bool: "Boolean"
        case is NSNull: "null"
        case is Int, is Double: "number"
        default: "\(type(of: content))"
        }
    }

    private static func sendable(_ value: Any) -> any Sendable {
        switch value {
        case let text as String: text
        case let object as [String: Any]: object.mapValues(sendable)
        case let array as [Any]: array.map(sendable)
        case let number as NSNumber: sendable(number)
        default: NSNull()
        }
    }

    private static func sendable(_ number: NSNumber) -> any Sendable {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c") where !(number is NSDecimalNumber): number.boolValue
        case UInt8(ascii: "d") where !(number is NSDecimalNumber): number.doubleValue
        default: whole(number) ?? number.doubleValue
        }
    }

    private static func whole(_ number: NSNumber) -> Int? {
        let whole = number.int64Value
        return number.compare(NSNumber(value: whole)) == .orderedSame ? Int(exactly: whole) : nil
    }
}
