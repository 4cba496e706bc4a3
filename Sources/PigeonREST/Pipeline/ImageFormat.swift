internal import Foundation

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
