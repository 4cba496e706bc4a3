/// One line of styled text, without line breaks and other control characters, wherever its text comes from.
///
/// ```swift
/// let line = Line("★ 42 ", Style(.yellow).bold) + Line(repository.name)
/// ```
package struct Line: Hashable, Sendable {
    /// A part of a line that looks the same.
    package struct Span: Hashable, Sendable {
        package let text: String
        package let style: Style
    }

    package private(set) var spans: [Span]

    package init(_ text: String = "", _ style: Style = .plain) {
        let clean = text.withoutControls
        spans = clean.isEmpty ? [] : [Span(text: clean, style: style)]
    }

    /// The text without its looks.
    package var plain: String {
        spans.map(\.text).joined()
    }

    /// The columns that a terminal gives this line.
    package var columns: Int {
        spans.reduce(0) { $0 + $1.text.columns }
    }

    package static func + (left: Line, right: Line) -> Line {
        var line = left
        line.spans += right.spans
        return line
    }

    /// Returns the line as it fits into some columns, with an ellipsis where something had to go.
    package func clipped(to limit: Int) -> Line {
        guard columns > limit else { return self }
        guard limit > 0 else { return Line() }
        var line = Line()
        var room = limit - 1
        for span in spans {
            let (text, isWhole) = span.text.prefix(columns: room)
            room -= text.columns
            line.spans.append(Span(text: isWhole ? text : text + "…", style: span.style))
            guard isWhole else { return line }
        }
        return line
    }

    /// Returns the line clipped, or filled with spaces, to just so many columns.
    package func fitted(to width: Int, _ style: Style = .plain) -> Line {
        let line = clipped(to: width)
        return line + Line(String(repeating: " ", count: max(width - line.columns, 0)), style)
    }
}

extension Line: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

extension String {
    /// Returns as many whole characters as fit into some columns, and whether these are all.
    fileprivate func prefix(columns limit: Int) -> (text: String, isWhole: Bool) {
        var room = limit
        let end = indices.first { index in
            room -= self[index].columns
            return room < 0
        }
        return (String(self[..<(end ?? endIndex)]), end == nil)
    }
}
