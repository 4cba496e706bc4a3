@testable import TerminalKit

/// A terminal as far as ``Screen`` uses one: what it would show after what it was sent.
struct Picture: Equatable {
    private var cells: [[String]]
    private var row = 0
    private var column = 0
    private var style = ""

    init(size: TerminalSize) {
        cells = Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
    }

    static func == (left: Picture, right: Picture) -> Bool {
        left.cells == right.cells
    }

    mutating func receive(_ text: String) {
        var rest = text[...]
        while let match = rest.prefixMatch(of: /\u{1B}\[([?0-9;]*)([A-Za-z])/) ?? nil {
            act(String(match.output.1), String(match.output.2))
            rest = rest[match.range.upperBound...]
            let end = rest.unicodeScalars.firstIndex(of: "\u{1B}") ?? rest.endIndex
            for character in rest[..<end] { put(character) }
            rest = rest[end...]
        }
    }

    private mutating func act(_ numbers: String, _ letter: String) {
        let values = numbers.split(separator: ";").compactMap { Int($0) }
        switch letter {
        case "H": (row, column) = (values[0] - 1, values[1] - 1)
        case "J": cells = cells.map { $0.map { _ in " " } }
        case "K": for index in column..<cells[row].count { cells[row][index] = " " }
        case "m": style = numbers == "0" ? "" : numbers
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        let width = character.columns
        guard width > 0, column + width <= cells[row].count else { return }
        cells[row][column] = style + String(character)
        for index in 1..<max(width, 1) where width > 1 { cells[row][column + index] = "" }
        column += width
    }
}
