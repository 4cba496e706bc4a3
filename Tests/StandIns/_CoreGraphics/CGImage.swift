@_exported public import Foundation

/// Stands for `CoreGraphics.CGImage`. The module has another name, because packages that can import CoreGraphics would. The real one is not declared to be `Sendable` by all SDKs.
public final class CGImage {
    /// Stands for `CGImage.width`.
    public let width: Int
    /// Stands for `CGImage.height`.
    public let height: Int
    /// Stands for `CGImage.bytesPerRow`.
    public var bytesPerRow: Int { 4 * width }
    /// The bytes that it was made of.
    package let source: Data

    package init(width: Int, height: Int, source: Data) {
        (self.width, self.height, self.source) = (width, height, source)
    }

    /// The size of an image in pixels, with which its bytes begin: `400x300 Ann`. One pixel for bytes without a size.
    package static func size(of data: Data) -> (width: Int, height: Int) {
        let numbers = String(decoding: data, as: UTF8.self).prefix { $0 != " " }.split(separator: "x").compactMap {
            Int($0)
        }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : (1, 1)
    }
}

// Types of CoreFoundation, which Foundation has on Apple's systems. There, they are bridged to these classes.

/// Stands for `CoreFoundation.CFData`.
public typealias CFData = NSData
/// Stands for `CoreFoundation.CFDictionary`.
public typealias CFDictionary = NSDictionary
/// Stands for `CoreFoundation.CFString`.
public typealias CFString = NSString
