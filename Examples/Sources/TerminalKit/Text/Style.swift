/// How text looks.
package struct Style: Hashable, Sendable {
    /// The colours that every terminal has, as its user chose them.
    package enum Color: Int, Sendable {
        case black, red, green, yellow, blue, magenta, cyan, white
    }

    package var foreground: Color?
    package var background: Color?
    package var isBold = false
    package var isDim = false
    package var isItalic = false
    package var isUnderlined = false
    package var isReversed = false

    package init(_ foreground: Color? = nil, on background: Color? = nil) {
        self.foreground = foreground
        self.background = background
    }

    package static let plain = Style()

    package var bold: Style { with(\.isBold) }
    package var dim: Style { with(\.isDim) }
    package var italic: Style { with(\.isItalic) }
    package var underlined: Style { with(\.isUnderlined) }
    package var reversed: Style { with(\.isReversed) }

    private func with(_ trait: WritableKeyPath<Style, Bool>) -> Style {
        var style = self
        style[keyPath: trait] = true
        return style
    }

    /// The sequence that turns this look on, whatever was on before.
    func sequence(hasColors: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if isItalic { codes.append("3") }
        if isUnderlined { codes.append("4") }
        if isReversed { codes.append("7") }
        if hasColors, let foreground { codes.append(String(30 + foreground.rawValue)) }
        if hasColors, let background { codes.append(String(40 + background.rawValue)) }
        return "\u{1B}[" + codes.joined(separator: ";") + "m"
    }
}
