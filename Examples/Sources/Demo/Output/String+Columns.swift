extension String {
    enum Alignment {
        case left, right
    }

    /// The text with spaces up to a width.
    func padded(to width: Int, alignment: Alignment = .left) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return alignment == .left ? self + space : space + self
    }

    /// The text, its end left out where it is longer than a width.
    func shortened(to width: Int) -> String {
        count <= width ? self : prefix(width - 1) + "…"
    }
}
