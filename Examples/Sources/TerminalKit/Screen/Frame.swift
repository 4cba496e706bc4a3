/// What a screen shows at one moment.
package struct Frame: Hashable, Sendable {
    /// A place on the screen, from 0 on.
    package struct Position: Hashable, Sendable {
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) {
            self.row = row
            self.column = column
        }
    }

    package var lines: [Line]
    /// Where the cursor shows; `nil` for none.
    package var cursor: Position?

    package init(_ lines: [Line] = [], cursor: Position? = nil) {
        self.lines = lines
        self.cursor = cursor
    }

    /// The frame for scripts and pipes: no looks, no spaces at the ends of lines, a line break after each.
    package var plain: String {
        lines.map { line in
            let text = line.plain
            let end = text.lastIndex { $0 != " " }.map(text.index(after:)) ?? text.startIndex
            return text[..<end] + "\n"
        }.joined()
    }
}
