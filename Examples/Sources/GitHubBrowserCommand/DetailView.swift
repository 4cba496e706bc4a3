import GitHubBrowser
import TerminalKit

/// Draws one repository.
struct DetailView {
    let detail: BrowserState.Detail
    let columns: Int

    var lines: [Line] {
        var lines = [Line(" " + detail.name, Style().bold) + Line(detail.isPrivate ? " private" : "", Style(.magenta))]
        guard let stars = detail.stars else { return lines }
        lines.append(Line(" \(mark) \(stars)", Style(.yellow)) + Line(starred, Style().dim))
        lines += wrapped(detail.description, limit: 4)
        lines += wrapped(detail.homepage, limit: 1, Style(.blue).underlined)
        lines.append(Line())
        lines += named("languages", detail.languages?.map { "\($0.name) \($0.percent) %" })
        lines += named("written by", detail.contributors)
        return lines
    }

    private var mark: String { detail.isStarred == true ? "★" : "☆" }

    private var starred: String {
        let isStarred = detail.isStarred == true
        return switch detail.starring {
        case .sending: isStarred ? "  starring…" : "  unstarring…"
        case .waiting: isStarred ? "  starred, not sent yet" : "  unstarred, not sent yet"
        case nil: isStarred ? "  starred by you" : ""
        }
    }

    private func named(_ name: String, _ values: [String]?) -> [Line] {
        let text = values.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } ?? "…"
        return wrapped("\(name): \(text)", limit: 3)
    }

    private func wrapped(_ text: String?, limit: Int, _ style: Style = .plain) -> [Line] {
        guard let text, !text.isEmpty else { return [] }
        var lines = [""]
        for word in text.withoutControls.split(separator: " ") {
            let longer = lines[lines.count - 1].isEmpty ? String(word) : lines[lines.count - 1] + " " + word
            if longer.columns <= columns - 2 || lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        if lines.count > limit {
            let rest = lines[(limit - 1)...].joined(separator: " ")
            lines[(limit - 1)...] = [rest]
        }
        return lines.map { (Line(" ") + Line($0, style)).clipped(to: columns) }
    }
}
