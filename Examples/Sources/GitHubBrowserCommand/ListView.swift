import GitHubBrowser
import TerminalKit

/// Draws a user and the list of repositories.
struct ListView {
    let state: BrowserState
    let columns: Int
    let rows: Int
    let isFocused: Bool

    var lines: [Line] { title + visible }

    private var title: [Line] {
        if let card = state.card {
            let name = card.name.flatMap { $0.isEmpty ? nil : $0 } ?? card.login
            return [
                " " + avatar(card.avatar) + Line(" ") + Line(name, Style().bold)
                    + Line(name == card.login ? "" : "  \(card.login)", Style().dim)
            ]
        }
        return state.isActiveList ? [Line(" Active repositories", Style().bold)] : []
    }

    /// The rows around the selection, and what there is behind the last.
    private var visible: [Line] {
        let room = max(rows - title.count, 1)
        var all = state.rows.indices.map(row)
        if let more { all.append(more) }
        if all.isEmpty, state.status == .nothing { return [Line(" no repositories", Style().dim)] }
        let first = min(max(state.selection - room / 2, 0), max(all.count - room, 0))
        return Array(all.dropFirst(first).prefix(room))
    }

    private func row(_ index: Int) -> Line {
        let row = state.rows[index]
        let isSelected = index == state.selection
        let stars = Line(" ★ \(row.stars) ", Style(.yellow))
        let number = Line(isSelected ? "›" : " ", Style(.cyan).bold) + Line("\(index + 1) ".leading(3), Style().dim)
        let owner = state.card == nil ? Line(row.owner + "/", Style().dim) : Line()
        let name = Line(row.name, isSelected && isFocused ? Style().reversed : .plain)
        let lock = row.isPrivate ? Line(" private", Style(.magenta)) : Line()
        let left = number + avatar(row.avatar) + Line(" ") + owner + name + lock
        return left.fitted(to: max(columns - stars.columns, 1)) + stars
    }

    private var more: Line? {
        switch state.more {
        case .nothing: nil
        case .available: Line("    more…", Style().dim)
        case .loading: Line("    loading more…", Style(.yellow))
        case .failed(let message): Line("    no more: \(message) · r to retry", Style(.red))
        }
    }

    /// A dot in a colour of its picture's own: what a terminal can show of it.
    private func avatar(_ avatar: BrowserState.Avatar) -> Line {
        switch avatar {
        case .none: return Line("·", Style().dim)
        case .loading: return Line("○", Style().dim)
        case .picture(let hash):
            let colours: [Style.Color] = [.red, .green, .yellow, .blue, .magenta, .cyan]
            return Line("●", Style(colours[Int(hash.magnitude % UInt(colours.count))]))
        }
    }
}

extension String {
    /// The text with spaces before it.
    fileprivate func leading(_ columns: Int) -> String {
        String(repeating: " ", count: max(columns - count, 0)) + self
    }
}
