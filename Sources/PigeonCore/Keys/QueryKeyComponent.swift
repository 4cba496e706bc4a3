public import Foundation

/// A value that can be a component of a ``QueryKey``'s path.
///
/// Strings, numbers, Booleans, `UUID`s, dates and optionals of them conform. Your own type conforms by providing its
/// text. A type with a raw value conforms with an empty extension:
///
/// ```swift
/// enum Section: String, QueryKeyComponent { case inbox, archive }
/// ```
///
/// Two components are equal if their texts are equal: `42` and `"42"` name the same path, as do `nil` and `"nil"`.
public protocol QueryKeyComponent {
    /// The component's text. May contain any characters: the key escapes separators.
    var queryKeyComponent: String { get }
}

extension String: QueryKeyComponent {
    /// The string itself.
    public var queryKeyComponent: String { self }
}

extension Substring: QueryKeyComponent {
    /// The characters of the slice.
    public var queryKeyComponent: String { String(self) }
}

extension Bool: QueryKeyComponent {
    /// `"true"` or `"false"`.
    public var queryKeyComponent: String { self ? "true" : "false" }
}

extension UUID: QueryKeyComponent {
    /// The UUID in its usual upper-case form.
    public var queryKeyComponent: String { uuidString }
}

extension Date: QueryKeyComponent {
    /// The seconds since January 1, 2001.
    public var queryKeyComponent: String { timeIntervalSinceReferenceDate.queryKeyComponent }
}

extension Optional: QueryKeyComponent where Wrapped: QueryKeyComponent {
    /// The text of the value, or `"nil"`.
    public var queryKeyComponent: String { self?.queryKeyComponent ?? "nil" }
}

extension QueryKeyComponent where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// The shortest decimal number that stands for the value: `"0.1"`.
    public var queryKeyComponent: String { description }
}

extension QueryKeyComponent where Self: BinaryInteger {
    /// The number in decimal.
    public var queryKeyComponent: String { description }
}

extension QueryKeyComponent where Self: RawRepresentable, RawValue: QueryKeyComponent {
    /// The text of the raw value.
    public var queryKeyComponent: String { rawValue.queryKeyComponent }
}

extension Double: QueryKeyComponent {}
extension Float: QueryKeyComponent {}
extension Int: QueryKeyComponent {}
extension Int8: QueryKeyComponent {}
extension Int16: QueryKeyComponent {}
extension Int32: QueryKeyComponent {}
extension Int64: QueryKeyComponent {}
extension UInt: QueryKeyComponent {}
extension UInt8: QueryKeyComponent {}
extension UInt16: QueryKeyComponent {}
extension UInt32: QueryKeyComponent {}
extension UInt64: QueryKeyComponent {}
