import Foundation

/// One line of a script.
enum ScriptCommand: Equatable {
    case search(String), type(String), erase
    case open(Int), back, next
    case logIn(String), logOut, star, unstar
    case retry, reload, offline, online
    case latency(Int), limit(Int)
    case wait, show, requests, quit

    /// Reads a line; `nil` for an empty one and for a comment.
    ///
    /// - Throws: ``ScriptError`` without its line number.
    init?(_ line: String) throws(ScriptError) {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
        let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        if let command = Self.alone[parts[0]] {
            guard rest.isEmpty else { throw ScriptError("'\(parts[0])' stands alone, without '\(rest)'") }
            self = command
        } else {
            self = try Self.command(parts[0], rest)
        }
    }

    private static let alone: [String: ScriptCommand] = [
        "erase": .erase, "back": .back, "next": .next, "logout": .logOut, "star": .star, "unstar": .unstar,
        "retry": .retry, "reload": .reload, "offline": .offline, "online": .online, "wait": .wait, "show": .show,
        "requests": .requests, "quit": .quit,
    ]

    private static func command(_ name: String, _ rest: String) throws(ScriptError) -> ScriptCommand {
        switch name {
        case "search": return .search(rest)
        case "type":
            guard !rest.isEmpty else { throw ScriptError("'type' needs something to type") }
            return .type(rest)
        case "login":
            guard !rest.isEmpty else { throw ScriptError("'login' needs an account or a token") }
            return .logIn(rest)
        case "open": return .open(try number(rest, of: name, from: 1))
        case "latency": return .latency(try number(rest, of: name, from: 0))
        case "limit": return .limit(try number(rest, of: name, from: 0))
        default: throw ScriptError("unknown command '\(name)'")
        }
    }

    private static func number(_ text: String, of name: String, from least: Int) throws(ScriptError) -> Int {
        guard let number = Int(text), number >= least, number <= 1_000_000 else {
            throw ScriptError("'\(name)' needs a number from \(least) on, not '\(text)'")
        }
        return number
    }
}
