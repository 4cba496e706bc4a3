/// The columns and rows of a terminal.
package struct TerminalSize: Hashable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// What a terminal has that does not say.
    package static let usual = TerminalSize(columns: 80, rows: 24)
}
