public import Foundation

/// What the body of a JSON request can be: an object or an array. What is in it is checked when it is written.
public protocol JSONConvertible {}

extension NSDictionary: JSONConvertible {}
extension NSArray: JSONConvertible {}
extension Dictionary: JSONConvertible {}
extension Array: JSONConvertible {}
