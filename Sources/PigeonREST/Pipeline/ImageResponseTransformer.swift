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
        return transformer(transformErrors) { UIImage(data: $0) }
    #elseif canImport(AppKit)
        return PictureTransformer(transformErrors: transformErrors) { NSImage(data: $0) }
    #else
        return transformer(transformErrors) { ImageFormat($0) == nil ? nil : $0 }
    #endif
}

private func transformer<Image: Sendable>(
    _ transformErrors: Bool, _ make: @escaping @Sendable (Data) -> Image?
) -> any ResponseTransformer {
    ResponseContentTransformer<Data, Image>(
        onInputTypeMismatch: .skipIfOutputTypeMatches, transformErrors: transformErrors
    ) { entity in
        guard let image = make(entity.content) else { throw RequestError(RequestError.Cause.UnparsableImage()) }
        return image
    }
}
