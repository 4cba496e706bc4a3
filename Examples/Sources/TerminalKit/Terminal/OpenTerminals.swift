import Foundation

/// The terminals to give back when the program exits.
enum OpenTerminals {
    private struct Entry {
        weak var terminal: Terminal?
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])
    private static let atExit: Void = {
        atexit { OpenTerminals.leaveAll() }
    }()

    static func add(_ terminal: Terminal) {
        atExit
        entries.withLock { $0[ObjectIdentifier(terminal)] = Entry(terminal: terminal) }
    }

    static func remove(_ terminal: Terminal) {
        entries.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(terminal)) }
    }

    private static func leaveAll() {
        for terminal in entries.withLock({ $0.values.compactMap(\.terminal) }) { terminal.leave() }
    }
}
