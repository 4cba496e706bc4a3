import Foundation
import TerminalKit

/// Shows what a terminal tells of, so that tests can look at a program from outside. Ends at the letter q, and in
/// its midst at the letter x.
@main
struct TerminalProbe {
    static func main() async {
        guard let terminal = Terminal.open() else { return print("no terminal") }
        terminal.draw(Frame(["ready"]))
        var count = 0
        for await event in terminal.events {
            count += 1
            if event == .key(.control("z")) { terminal.suspend() }
            if event == .key(.character("x")) { exit(3) }
            if event == .key(.character("q")) { break }
            terminal.draw(Frame([Line("\(count) \(event)")], cursor: .init(row: 0, column: 2)))
        }
        terminal.close()
    }
}
