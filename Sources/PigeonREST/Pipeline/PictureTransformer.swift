package import Foundation

#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

/// Converts bytes to images whose type is not `Sendable` on all systems. `NSImage` is `Sendable` from macOS 14 on, and
/// safe to share before that while it does not change.
package struct PictureTransformer<Picture>: ResponseTransformer {
    private let base: ResponseContentTransformer<Data, Box>

    private struct Box: @unchecked Sendable {  // the picture is new, and is only displayed later
        let picture: Picture

        /// The picture as content. The memory layout of types is the same with and without `Sendable`.
        var content: any Sendable { unsafeBitCast(picture as Any, to: (any Sendable).self) }
    }

    /// - Parameters:
    ///   - transformErrors: True if the bodies of errors are converted to images too.
    ///   - make: Converts bytes to a picture. Returns `nil` if they are not one.
    package init(transformErrors: Bool, make: @escaping @Sendable (Data) -> Picture?) {
        base = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            guard let picture = make(entity.content) else { throw RequestError(RequestError.Cause.UnparsableImage()) }
            return Box(picture: picture)
        }
    }

    /// Leaves content that is already a picture unchanged.
    package func process(_ response: Response) -> Response {
        if case .success(let entity) = response, entity.content is Picture { return response }
        switch base.process(response) {
        case .success(let entity): return .success(unboxed(entity))
        case .failure(var error):
            error.entity = error.entity.map(unboxed)
            return .failure(error)
        }
    }

    private func unboxed(_ entity: Entity<any Sendable>) -> Entity<any Sendable> {
        guard let box = entity.content as? Box else { return entity }
        return entity.with(content: box.content)
    }

    package var debugDescription: String { "Data → \(Picture.self)" }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a transformer that converts bytes to a `UIImage` or an `NSImage`, where these exist.
///
/// On other platforms, the content stays `Data`, but must begin with the signature of a PNG, JPEG, GIF, WebP, BMP, TIFF
/// or HEIC file. An empty body stays empty.
///
/// - Parameter transformErrors: True if the bodies of errors are converted to images too.
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

/// The image formats, recognized by their first bytes.
enum ImageFormat: CaseIterable {
    case png, jpeg, gif, webP, bmp, tiff, heic

    init?(_ data: Data) {
        let start = Array(data.prefix(12))
        guard let format = Self.allCases.first(where: { $0.begins(start) }) else { return nil }
        self = format
    }

    private func begins(_ bytes: [UInt8]) -> Bool {
        func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        return switch self {
        case .png: bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .jpeg: bytes.starts(with: [0xFF, 0xD8, 0xFF])
        case .gif: has("GIF87a") || has("GIF89a")
        case .webP: has("RIFF") && has("WEBP", at: 8)
        case .bmp: has("BM")
        case .tiff: has("II*\0") || has("MM\0*")
        case .heic: has("ftyp", at: 4) && Self.heicBrands.contains { has($0, at: 8) }
        }
    }

    private static let heicBrands = ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"]
}
