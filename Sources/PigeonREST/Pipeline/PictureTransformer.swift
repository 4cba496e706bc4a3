package import Foundation

#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

/// Makes pictures of bytes, of a type that does not say on all systems that it may travel between threads: `NSImage` does
/// from macOS 14 on, and could before, where nobody changes it.
package struct PictureTransformer<Picture>: ResponseTransformer {
    private let base: ResponseContentTransformer<Data, Box>

    private struct Box: @unchecked Sendable {  // nobody has the picture yet, and whoever gets it only shows it
        let picture: Picture

        /// The picture as content. Types are laid out the same with `Sendable` and without.
        var content: any Sendable { unsafeBitCast(picture as Any, to: (any Sendable).self) }
    }

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - transformErrors: Whether the bodies of errors are taken for pictures too.
    ///   - make: Makes a picture, if the bytes are one.
    package init(transformErrors: Bool, make: @escaping @Sendable (Data) -> Picture?) {
        base = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            guard let picture = make(entity.content) else { throw RequestError(RequestError.Cause.UnparsableImage()) }
            return Box(picture: picture)
        }
    }

    /// The response with a picture for its bytes. One that has a picture already stays.
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

    /// What it takes and what it makes.
    package var debugDescription: String { "Data → \(Picture.self)" }
}

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

/// The formats of pictures, told by their first bytes.
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
