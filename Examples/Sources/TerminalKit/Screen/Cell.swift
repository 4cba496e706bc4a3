/// One character as the screen shows it.
struct Cell: Equatable {
    let character: Character
    let style: Style

    /// Whether every terminal gives it one column, so that what comes after it has a place that is certain.
    var isCertain: Bool { character.isASCII }
}

extension Line {
    var cells: [Cell] {
        spans.flatMap { span in span.text.map { Cell(character: $0, style: span.style) } }
    }
}
