/// What someone did at the keyboard.
package enum Key: Hashable, Sendable {
    /// A letter, a sign or an emoji; a combining mark that comes alone is one too.
    case character(Character)
    /// Text that was pasted, with its line breaks and without other control characters.
    case paste(String)
    case enter, tab, backTab, backspace, delete, escape
    case up, down, left, right, home, end, pageUp, pageDown
    /// A lower-case letter, or another sign, pressed with Control.
    case control(Character)
    /// A character pressed with Alt.
    case alt(Character)

    /// Ctrl-C, which is a key like others while the terminal is raw.
    package static let interrupt = Key.control("c")
    /// Ctrl-L, by which people ask for the screen to be drawn anew.
    package static let redraw = Key.control("l")
}
