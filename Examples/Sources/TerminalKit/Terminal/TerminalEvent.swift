/// What a program at a terminal goes by.
package enum TerminalEvent: Hashable, Sendable {
    case key(Key)
    /// The terminal has another size: a frame for it is to be drawn.
    case resized(TerminalSize)
    /// The program was stopped and goes on: a frame is to be drawn. May be told twice.
    case resumed
}
