package import Foundation

extension String.Encoding {
    /// - Parameter name: The name, in any case.
    package init?(charset name: String) {
        guard let encoding = encodings[name.lowercased()] else { return nil }
        self = encoding
    }

    /// The name for a `Content-Type`, if the encoding has one.
    package var charsetName: String? { names.first { $0.encoding == self }?.name }
}

extension String? {
    /// The encoding that a `Content-Type` names (RFC 9110, 8.3.2), or UTF-8 if it names none.
    var charset: String.Encoding {
        get throws(SerializationError) {
            guard let name = self?.charsetName else { return .utf8 }
            guard let encoding = String.Encoding(charset: name) else {
                throw .failedToDecodeResponseData(cause: UnknownCharset(name: name))
            }
            return encoding
        }
    }
}

extension StringProtocol {
    /// Without surrounding spaces and tabs (RFC 9110, 5.6.3).
    package var trimmed: String {
        trimming { $0 == " " || $0 == "\t" }
    }

    func trimming(_ isOuter: (Unicode.Scalar) -> Bool) -> String {
        guard let start = unicodeScalars.firstIndex(where: { !isOuter($0) }),
            let end = unicodeScalars.lastIndex(where: { !isOuter($0) })
        else { return "" }
        return String(self[start..<unicodeScalars.index(after: end)])
    }
}

/// The names of IANA's registry that servers use, in lower case. The first name of an encoding is the one to write.
private let names: [(name: String, encoding: String.Encoding)] = [
    ("utf-8", .utf8), ("utf8", .utf8), ("us-ascii", .ascii), ("ascii", .ascii),
    ("iso-8859-1", .isoLatin1), ("latin1", .isoLatin1), ("iso-8859-2", .isoLatin2), ("latin2", .isoLatin2),
    ("windows-1250", .windowsCP1250), ("windows-1251", .windowsCP1251), ("windows-1252", .windowsCP1252),
    ("windows-1253", .windowsCP1253), ("windows-1254", .windowsCP1254),
    ("utf-16", .utf16), ("utf-16le", .utf16LittleEndian), ("utf-16be", .utf16BigEndian),
    ("utf-32", .utf32), ("utf-32le", .utf32LittleEndian), ("utf-32be", .utf32BigEndian),
    ("shift_jis", .shiftJIS), ("euc-jp", .japaneseEUC), ("iso-2022-jp", .iso2022JP), ("macintosh", .macOSRoman),
]

private let encodings = Dictionary(uniqueKeysWithValues: names.map { ($0.name, $0.encoding) })

extension String {
    /// The text of bytes that are UTF-8. The standard library's own initializer for this is not available on all
    /// systems.
    init?(utf8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
