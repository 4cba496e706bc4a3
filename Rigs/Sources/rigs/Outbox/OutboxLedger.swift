internal import Foundation

/// The reports of all programs that have used one file, and what the server must have made according to them.
struct OutboxLedger {
    struct Finding {
        let figure: String?
        let id: Int
        let text: String
    }

    private typealias Time = UInt64

    private struct Change {
        var writer: Int
        var begun: Time
        /// The time at which `enqueue` had returned. `nil` if it did not.
        var accepted: Time?
        var version = 0
        var attempts: [Time] = []
        var discarding: Time?
        var discarded: Time?
    }

    private struct Clear {
        let start: Time
        /// The time at which `clear()` had returned. If it did not, the end of the process, after which it had no effect.
        var end: Time
        var hasReturned = false
    }

    private let isShared: Bool
    private var changes: [Int: Change] = [:]
    private var clears: [Clear] = []
    private var problems: [Finding] = []
    private var lines: [String] = []
    private var acceptedCount = 0
    /// The changes that have been checked.
    private var closed: Set<Int> = []

    init(isShared: Bool) {
        self.isShared = isShared
    }

    /// Takes in the reports of programs that used the file at the same time, and have ended.
    mutating func add(_ reports: [[String]]) {
        let end = DispatchTime.now().uptimeNanoseconds
        var entries: [(time: Time, writer: Int, words: [Substring])] = []
        for (writer, report) in reports.enumerated() {
            lines += report
            for line in report {
                let words = line.split(separator: " ")
                if words.count > 1, let time = Time(words[0]) { entries.append((time, writer, words)) }
            }
        }
        var open: [Int: Int] = [:]
        for (time, writer, words) in entries.sorted(by: { $0.time < $1.time }) {
            switch words[1] {
            case "clearing":
                open[writer] = clears.count
                clears.append(Clear(start: time, end: end))
            case "cleared":
                if let clear = open[writer] { (clears[clear].end, clears[clear].hasReturned) = (time, true) }
            case "problem": problems.append(Finding(figure: nil, id: -1, text: words.joined(separator: " ")))
            default: take(words.map(String.init), at: time, writer)
            }
        }
    }

    /// Takes in a line about changes.
    private mutating func take(_ words: [String], at time: Time, _ writer: Int) {
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        switch words[1] {
        case "enqueue": for id in numbers { changes[id] = Change(writer: writer, begun: time) }
        case "accepted":
            for id in numbers { changes[id]?.accepted = time }
            acceptedCount += 1
        case "refused":
            guard let id = numbers.first, let begun = changes[id]?.begun else { return }
            // A clear withdraws what is being accepted.
            if words.last == "CancellationError()", clears.contains(where: { $0.start < time && $0.end > begun }) {
                return
            }
            let text = "refused, though the disk is sound: \(words.joined(separator: " "))"
            problems.append(Finding(figure: nil, id: id, text: text))
        case "begin": for id in numbers.dropFirst() { changes[id]?.attempts.append(time) }
        case "edited":
            for id in numbers.dropFirst() where changes[id].map({ $0.version < numbers[0] }) == true {
                changes[id]?.version = numbers[0]
            }
        case "discarding": for id in numbers { changes[id]?.discarding = time }
        case "discarded": for id in numbers { changes[id]?.discarded = time }
        case "undiscarded": for id in numbers where changes[id]?.discarded == nil { changes[id]?.discarding = nil }
        default: break
        }
    }

    mutating func takeAcceptedCount() -> Int {
        defer { acceptedCount = 0 }
        return acceptedCount
    }

    /// Compares the reports with what the server has made. All that waited has been made before.
    mutating func findings(effects: [OutboxServer.Effect]) -> [Finding] {
        defer {
            // Once all that waited has been made, nothing of it can be attempted any more.
            (problems, clears, closed) = ([], [], Set(changes.keys))
        }
        let (made, repeated) = versions(in: effects)
        var found = problems + repeated
        for (id, change) in changes.sorted(by: { $0.key < $1.key }) where !closed.contains(id) {
            if let accepted = change.accepted, isRequired(change) {
                let version = made[id]?.max()
                if version == nil || change.version > version ?? 0 {
                    let text =
                        "change \(id) was accepted \(accepted), as version \(change.version), but the server has \(version ?? -1)"
                    found.append(Finding(figure: "lost", id: id, text: text))
                }
            }
            if !isShared, let discarded = change.discarded, let late = change.attempts.first(where: { $0 > discarded })
            {
                found.append(Finding(figure: nil, id: id, text: "change \(id) was discarded, but attempted \(late)"))
            }
        }
        return found + lateAttempts() + disorder(in: effects)
    }

    /// The lines about a change, and about clears since it was begun.
    func history(of id: Int, requests: [String]) -> [String] {
        let begun = changes[id]?.begun ?? 0
        let concerned = lines.filter { line in
            let words = line.split(separator: " ")
            guard words.count > 1, let time = Time(words[0]), time >= begun else { return false }
            return words[1].hasPrefix("clear") || words.dropFirst(2).contains { $0 == "\(id)" }
        }
        let sent = requests.filter { line in line.split { !$0.isNumber }.dropFirst().contains { $0 == "\(id)" } }
        return Array((concerned + sent.map { "\($0) at the server" }).sorted().suffix(60))
    }

    /// False if a clear or the user may have withdrawn a change.
    private func isRequired(_ change: Change) -> Bool {
        change.discarding == nil && !clears.contains { $0.end > change.begun }
    }

    private func versions(in effects: [OutboxServer.Effect]) -> (made: [Int: Set<Int>], repeated: [Finding]) {
        var (made, repeated): ([Int: Set<Int>], [Finding]) = ([:], [])
        for effect in effects {
            for id in effect.ids where !made[id, default: []].insert(effect.version).inserted && !closed.contains(id) {
                let text = "version \(effect.version) of change \(id) was made twice"
                repeated.append(Finding(figure: "made twice", id: id, text: text))
            }
        }
        return (made, repeated)
    }

    /// Attempts at changes that a clear had removed before they began.
    ///
    /// A clear does not stop another process. The requests that it has begun to attempt, it may still send. One request can
    /// be of several changes.
    private func lateAttempts() -> [Finding] {
        var found: [Finding] = []
        for clear in clears where clear.hasReturned {
            let late = changes.filter { _, change in
                guard let accepted = change.accepted, accepted < clear.start else { return false }
                return change.attempts.contains { $0 > clear.end } && !(isShared && change.attempts[0] < clear.end)
            }
            let requests = Set(late.values.compactMap { change in change.attempts.first { $0 > clear.end } })
            guard requests.count > (isShared ? 4 : 0) else { continue }
            found += late.map { id, _ in
                let text = "change \(id) was attempted after a clear that ended \(clear.end)"
                return Finding(figure: "made after a clear", id: id, text: text)
            }
        }
        return found
    }

    /// The changes of one program and one place must be made in the order in which they were accepted.
    private func disorder(in effects: [OutboxServer.Effect]) -> [Finding] {
        var (found, seen): ([Finding], Set<Int>) = ([], [])
        var last: [[Int]: Int] = [:]
        for effect in effects where effect.place != 0 {
            for id in effect.ids where seen.insert(id).inserted {
                guard !closed.contains(id), let change = changes[id], isRequired(change) else { continue }
                let line = [change.writer, effect.place]
                if let later = last[line], later > id {
                    let text = "change \(id) was made after \(later) of the same place"
                    found.append(Finding(figure: "out of order", id: id, text: text))
                }
                last[line] = max(last[line] ?? 0, id)
            }
        }
        return found
    }
}
