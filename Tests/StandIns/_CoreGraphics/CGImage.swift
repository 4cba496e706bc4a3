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
}

// Types of CoreFoundation, which Foundation has on Apple's systems. There, they are bridged to these classes.

/// Stands for `CoreFoundation.CFData`.
public typealias CFData = NSData
/// Stands for `CoreFoundation.CFDictionary`.
public typealias CFDictionary = NSDictionary
/// Stands for `CoreFoundation.CFString`.
public typealias CFString = NSString
