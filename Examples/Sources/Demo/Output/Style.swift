import Foundation

/// How text is set off: in colours on a terminal, not at all elsewhere.
struct Style: Sendable {
    enum Look: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    let isColored: Bool

    static let plain = Style(isColored: false)

    /// Colours if standard output is a terminal that has them, and nobody said no (https://no-color.org).
    static func ofTerminal(environment: [String: String]) -> Style {
        let isRefused = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        return Style(isColored: !isRefused && isatty(STDOUT_FILENO) == 1)
    }

    func callAsFunction(_ look: Look, _ text: String) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
    }
}
