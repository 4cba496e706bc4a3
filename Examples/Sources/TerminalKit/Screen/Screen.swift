/// Draws frames on a terminal by sending only what differs from the frame before.
///
/// All of one frame is one text, to be written at once, and marked as one update for terminals that know of this:
/// nobody sees half a frame.
package struct Screen {
    private var shown: [[Cell]] = []
    private var cursor: Frame.Position?
    private var size = TerminalSize(columns: 0, rows: 0)
    private var isKnown = false
    private let hasColors: Bool

    /// - Parameter hasColors: Whether colours are sent; without, bold, reversed and the like still are.
    package init(hasColors: Bool = true) {
        self.hasColors = hasColors
    }

    /// Forgets what the terminal shows, since others wrote to it: the next frame is drawn as a whole.
    package mutating func invalidate() {
        isKnown = false
    }

    /// Returns what brings the terminal from the last frame to this one; nothing where it shows that already.
    package mutating func draw(_ frame: Frame, size: TerminalSize) -> String {
        let isWhole = !isKnown || size != self.size
        let rows = (0..<size.rows).map { row in
            row < frame.lines.count ? frame.lines[row].clipped(to: size.columns).cells : []
        }
        var changes = isWhole ? "\u{1B}[0m\u{1B}[2J" : ""
        for (row, cells) in rows.enumerated() {
            let old = isWhole || row >= shown.count ? [] : shown[row]
            if cells != old { changes += line(cells, over: old, row: row, size: size) }
        }
        let cursor = frame.cursor.map { $0.moved(into: size) }
        guard !changes.isEmpty || cursor != self.cursor else { return "" }
        shown = rows
        self.cursor = cursor
        self.size = size
        isKnown = true
        return Sequence.begin + changes + (cursor.map { Sequence.move($0) + Sequence.showCursor } ?? "") + Sequence.end
    }

    /// Returns what changes one row, from the first difference on.
    private func line(_ cells: [Cell], over old: [Cell], row: Int, size: TerminalSize) -> String {
        let same = zip(cells, old).prefix { $0 == $1 && $0.isCertain }.count
        var text = Sequence.move(Frame.Position(row: row, column: same))
        var style: Style?
        for cell in cells.dropFirst(same) {
            if cell.style != style { text += cell.style.sequence(hasColors: hasColors) }
            style = cell.style
            text.append(cell.character)
        }
        if style != nil { text += "\u{1B}[0m" }
        // At the last column, erasing would take the last character with it.
        let width = cells.reduce(0) { $0 + $1.character.columns }
        return width < size.columns ? text + "\u{1B}[K" : text
    }
}

extension Screen {
    private enum Sequence {
        static let begin = "\u{1B}[?2026h\u{1B}[?25l"
        static let showCursor = "\u{1B}[?25h"
        static let end = "\u{1B}[?2026l"

        static func move(_ position: Frame.Position) -> String {
            "\u{1B}[\(position.row + 1);\(position.column + 1)H"
        }
    }
}

extension Frame.Position {
    fileprivate func moved(into size: TerminalSize) -> Frame.Position {
        Frame.Position(
            row: min(max(row, 0), max(size.rows - 1, 0)), column: min(max(column, 0), max(size.columns - 1, 0)))
    }
}
