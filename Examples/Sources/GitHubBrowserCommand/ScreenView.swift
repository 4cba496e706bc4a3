import GitHubBrowser
import TerminalKit

/// Draws what the browser shows for some size of terminal.
struct ScreenView {
    /// What takes the keys.
    enum Focus: Equatable {
        case field, list
    }

    let state: BrowserState
    let size: TerminalSize
    var field = TextField()
    var focus = Focus.list
    /// What is typed to log in, while that is asked for.
    var credentials: TextField?
    /// Who can log in, where that is known.
    var accounts: [String] = []
    /// Whether keys are explained, which scripts have no use for.
    var hasHints = true

    /// Columns from which on a list and a repository have room side by side.
    private static let wide = 68

    var frame: Frame {
        let rows = max(size.rows - (hasHints ? 4 : 3), 1)
        var frame = Frame([header, search] + body(rows: rows) + [status])
        if hasHints { frame.lines.append(hints) }
        frame.lines = frame.lines.map { $0.clipped(to: size.columns) }
        frame.cursor = cursor
        return frame
    }

    // MARK: Top and bottom

    private var header: Line {
        let bar = Style().reversed
        let account =
            switch state.account {
            case .nobody: "not logged in"
            case .signedIn(let login): login.map { "@\($0)" } ?? "logging in…"
            }
        let right = (state.isOnline ? "" : "offline · ") + account + " "
        let left = Line(" GitHub", bar.bold).fitted(to: max(size.columns - right.columns, 0), bar)
        return (left + Line(right, bar)).clipped(to: size.columns)
    }

    private var search: Line {
        let shown = focus == .field ? field.visible(columns: max(size.columns - 8, 1)).text : state.text
        guard !shown.isEmpty || focus == .field else {
            return Line(" user: ", Style(.cyan)) + Line("anyone", Style().dim)
        }
        return Line(" user: ", Style(.cyan)) + Line(shown, Style().bold)
    }

    private var status: Line {
        if let credentials {
            let (text, _) = credentials.visible(columns: max(size.columns - Self.prompt.columns - 1, 1))
            let known = accounts.contains { $0.hasPrefix(credentials.text) }
            return Line(Self.prompt, Style(.cyan)) + Line(known ? text : text.map { _ in "•" }.joined())
        }
        switch state.shownStatus {
        case .nothing: return Line()
        case .loading: return Line(" loading…", Style(.yellow))
        case .failure(let message):
            let hint = state.notice == nil ? " · r to retry" : ""
            let line = Line(" ! " + message, Style(.red)).clipped(to: max(size.columns - hint.columns, 1))
            return line + Line(hint, Style().dim)
        }
    }

    private static let prompt = " account or token: "

    private var hints: Line {
        let keys =
            if credentials != nil {
                accounts.isEmpty
                    ? "Enter log in · Esc cancel" : "\(accounts.joined(separator: ", ")) · Enter · Esc cancel"
            } else if state.detail != nil {
                "Esc back · s star · \(commands)"
            } else if focus == .field {
                "type a name · ↓ list · Esc clear · Ctrl-C quit"
            } else {
                "Enter open · / name · \(commands)"
            }
        return Line(" " + keys, Style().dim)
    }

    private var commands: String {
        guard size.columns >= Self.wide else { return "r l o q" }
        let account = state.account == .nobody ? "log in" : "log out"
        return "r reload · l \(account) · o \(state.isOnline ? "offline" : "online") · q quit"
    }

    private var cursor: Frame.Position? {
        if let credentials {
            let column = Self.prompt.columns
            let (_, cursor) = credentials.visible(columns: max(size.columns - column - 1, 1))
            return Frame.Position(row: size.rows - (hasHints ? 2 : 1), column: column + cursor)
        }
        guard focus == .field, state.detail == nil else { return nil }
        return Frame.Position(row: 1, column: 7 + field.visible(columns: max(size.columns - 8, 1)).cursor)
    }

    // MARK: Between

    private func body(rows: Int) -> [Line] {
        guard let detail = state.detail else { return list(columns: size.columns, rows: rows) }
        guard size.columns >= Self.wide else {
            return padded(DetailView(detail: detail, columns: size.columns).lines, to: rows)
        }
        let left = size.columns * 4 / 9
        let right = padded(DetailView(detail: detail, columns: size.columns - left - 1).lines, to: rows)
        return zip(list(columns: left, rows: rows), right).map { list, detail in
            list.fitted(to: left) + Line("│", Style().dim) + detail
        }
    }

    private func list(columns: Int, rows: Int) -> [Line] {
        padded(ListView(state: state, columns: columns, rows: rows, isFocused: focus == .list).lines, to: rows)
    }

    private func padded(_ lines: [Line], to rows: Int) -> [Line] {
        Array((lines + Array(repeating: Line(), count: rows)).prefix(rows))
    }
}
