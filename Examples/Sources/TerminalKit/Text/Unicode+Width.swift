extension Unicode.Scalar {
    /// Whether a terminal may act on this, in place of showing it: control characters, and what turns the direction of
    /// the text around it.
    var isControl: Bool {
        switch value {
        case 0x00...0x1f, 0x7f...0x9f, 0x061c, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    /// The columns that a terminal gives this: 0, 1 or 2.
    var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .surrogate: return 0
        default: break
        }
        if (0x1160...0x11ff).contains(value) { return 0 }
        return isWide || properties.isEmojiPresentation ? 2 : 1
    }

    /// East Asian wide and fullwidth characters (Unicode Standard Annex 11), without emoji.
    private var isWide: Bool {
        switch value {
        case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c, 0xac00...0xd7a3,
            0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff,
            0x1aff0...0x1b2ff, 0x1f200...0x1f265, 0x20000...0x3fffd:
            // Half of the square that ideographs fill, though in their midst.
            value != 0x303f && !(0x4dc0...0x4dff).contains(value)
        default: false
        }
    }
}

extension Character {
    /// The columns that a terminal gives this: 0, 1 or 2. A character of several parts, such as a family of emoji, takes
    /// as much room as its widest.
    package var columns: Int {
        if unicodeScalars.contains("\u{FE0F}"), unicodeScalars.first?.properties.isEmoji == true { return 2 }
        return unicodeScalars.reduce(0) { max($0, $1.columns) }
    }
}

extension StringProtocol {
    /// The columns that a terminal gives this text.
    package var columns: Int {
        reduce(0) { $0 + $1.columns }
    }
}
