public import Foundation

/// A value that can stand as one step of a ``QueryKey``'s path.
///
/// Strings, integers, Booleans and `UUID`s conform. A type of your own conforms by saying its text, and a type with
/// a raw value conforms with one empty extension:
///
/// ```swift
/// enum Section: String, QueryKeyComponent { case inbox, archive }
/// ```
///
/// Two components are the same when their texts are the same: `42` and `"42"` name one path.
public protocol QueryKeyComponent {
    /// The component's text. Any characters may be used: the key escapes what it needs.
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

extension QueryKeyComponent where Self: BinaryInteger {
    /// The number in decimal.
    public var queryKeyComponent: String { String(self) }
}

extension QueryKeyComponent where Self: RawRepresentable, RawValue: QueryKeyComponent {
    /// The text of the raw value.
    public var queryKeyComponent: String { rawValue.queryKeyComponent }
}

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
