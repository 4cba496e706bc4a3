internal import Foundation

#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Makes a picture of bytes: a `UIImage` or an `NSImage` where there are such.
///
/// Elsewhere the content stays `Data`, once it begins as PNG, JPEG, GIF, WebP, BMP, TIFF or HEIC do. An empty body stays
/// empty.
///
/// - Parameter transformErrors: Whether the bodies of errors are taken for pictures too.
public func ImageResponseTransformer(_ transformErrors: Bool = false) -> any ResponseTransformer {
    #if canImport(UIKit)
        typealias Image = UIImage
        let image = { @Sendable (data: Data) in UIImage(data: data) }
    #elseif canImport(AppKit)
        typealias Image = NSImage
        let image = { @Sendable (data: Data) in NSImage(data: data) }
    #else
        typealias Image = Data
        let image = { @Sendable (data: Data) in ImageFormat(data) == nil ? nil : data }
    #endif
    return ResponseContentTransformer<Data, Image>(
        onInputTypeMismatch: .skipIfOutputTypeMatches, transformErrors: transformErrors
    ) { entity in
        guard let image = image(entity.content) else { throw RequestError(RequestError.Cause.UnparsableImage()) }
        return image
    }
}
