@_exported public import _CoreGraphics
public import Foundation
import Synchronization

/// Stands for `ImageIO.CGImageSource`. An image is a text that begins with its size in pixels: `400x300 Ann`. One without
/// a size has one pixel, one that begins with `broken` has a header and nothing else. One that ends with `on its side` is
/// shown with its sides exchanged. A BMP file has its own size, and is called `picture`.
public final class CGImageSource {
    fileprivate let data: Data
    fileprivate let size: (width: Int, height: Int)

    fileprivate init(_ data: Data) {
        if let size = Self.sizeOfBitmap(data) {
            (self.data, self.size) = (Data("picture".utf8), size)
            return
        }
        self.data = data
        size = CGImage.size(of: data)
    }

    private static func sizeOfBitmap(_ data: Data) -> (width: Int, height: Int)? {
        let bytes = [UInt8](data.prefix(26))
        guard bytes.count == 26, bytes.starts(with: "BM".utf8) else { return nil }
        func number(at offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        return (number(at: 18), number(at: 22))
    }

    fileprivate var isOnItsSide: Bool { String(decoding: data, as: UTF8.self).hasSuffix("on its side") }
    fileprivate var isBroken: Bool { data.starts(with: Data("broken".utf8)) }
}

/// A picture that was decoded.
package struct Decoding: Sendable {
    /// The bytes, as text.
    package let source: String
    /// The larger side of the picture that was asked for.
    package let maxPixelSize: Int
    package let isOnMainThread: Bool

    private static let log = Mutex<[Decoding]>([])
    private static let held = Mutex<Set<String>>([])

    /// Lets each decoding of some bytes, unless it is on the main thread, wait for ``release(_:)``.
    package static func hold(_ source: String) { held.withLock { _ = $0.insert(source) } }

    /// Lets decodings go on.
    package static func release(_ source: String) { held.withLock { _ = $0.remove(source) } }

    /// All decodings of some bytes.
    package static func all(of source: String) -> [Decoding] { log.withLock { $0 }.filter { $0.source == source } }

    fileprivate func note() {
        Self.log.withLock { $0.append(self) }
        while !isOnMainThread, Self.held.withLock({ $0.contains(source) }) { Thread.sleep(forTimeInterval: 0.001) }
    }
}

/// Stands for `CGImageSourceCreateWithData(_:_:)`. Any bytes but none will do.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
    data.length == 0 ? nil : CGImageSource(Data(referencing: data))
}

/// Stands for `CGImageSourceCopyPropertiesAtIndex(_:_:_:)`.
public func CGImageSourceCopyPropertiesAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
    NSDictionary(dictionary: [
        kCGImagePropertyPixelWidth: NSNumber(value: isrc.size.width),
        kCGImagePropertyPixelHeight: NSNumber(value: isrc.size.height),
        kCGImagePropertyOrientation: NSNumber(value: isrc.isOnItsSide ? 6 : 1),
    ])
}

/// Stands for `CGImageSourceCreateThumbnailAtIndex(_:_:_:)`.
public func CGImageSourceCreateThumbnailAtIndex(
    _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
    guard !isrc.isBroken, (options?[kCGImageSourceCreateThumbnailFromImageAlways] as? NSNumber)?.boolValue == true,
        (options?[kCGImageSourceShouldCacheImmediately] as? NSNumber)?.boolValue == true
    else { return nil }
    let turns =
        isrc.isOnItsSide
        && (options?[kCGImageSourceCreateThumbnailWithTransform] as? NSNumber)?.boolValue == true
    let (width, height) = turns ? (isrc.size.height, isrc.size.width) : isrc.size
    let largest = (options?[kCGImageSourceThumbnailMaxPixelSize] as? NSNumber)?.intValue ?? max(width, height)
    Decoding(
        source: String(decoding: isrc.data, as: UTF8.self), maxPixelSize: largest, isOnMainThread: MainThread.isCurrent
    ).note()
    let scale = min(1, Double(largest) / Double(max(width, height)))
    return CGImage(
        width: max(1, Int((Double(width) * scale).rounded())), height: max(1, Int((Double(height) * scale).rounded())),
        source: isrc.data)
}

// The real ones are constants of C.

/// Stands for `kCGImageSourceShouldCache`.
nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// Stands for `kCGImageSourceShouldCacheImmediately`.
nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
/// Stands for `kCGImageSourceCreateThumbnailFromImageAlways`.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
    "kCGImageSourceCreateThumbnailFromImageAlways"
/// Stands for `kCGImageSourceCreateThumbnailWithTransform`.
nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString =
    "kCGImageSourceCreateThumbnailWithTransform"
/// Stands for `kCGImageSourceThumbnailMaxPixelSize`.
nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
/// Stands for `kCGImagePropertyPixelWidth`.
nonisolated(unsafe) public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
/// Stands for `kCGImagePropertyPixelHeight`.
nonisolated(unsafe) public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
/// Stands for `kCGImagePropertyOrientation`.
nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = "Orientation"
