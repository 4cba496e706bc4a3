internal import Foundation

/// One measured number beside its floor and its target.
struct Figure {
    /// What the numbers count, and which way is better.
    enum Unit: String {
        case nanoseconds = "ns"
        case microseconds = "µs"
        case milliseconds = "ms"
        case bytes = "B"
        case calls = "calls"
        case times = "x"
        case exponent = ""
        case millionsPerSecond = "M/s"
        case perSecond = "/s"

        var isBetterHigher: Bool { self == .millionsPerSecond || self == .perSecond }
    }

    let name: String
    /// What was measured, in a few words.
    let subject: String
    let unit: Unit
    let value: Double
    /// The same work without the engine, in the same run. `nil` where there is no such thing.
    let floor: Double?
    /// `nil` for a figure that is only told.
    let target: Double?

    var isMissed: Bool {
        guard let target else { return false }
        return unit.isBetterHigher ? value < target : value > target
    }

    var verdict: String {
        guard target != nil else { return "told" }
        return isMissed ? "miss" : "ok"
    }

    /// `bench W1.retained 75 ns floor 44 target 80 ok`
    var line: String {
        "bench \(name) \(Self.text(value)) \(unit.rawValue) floor \(floor.map(Self.text) ?? "-") "
            + "target \(target.map(Self.text) ?? "-") \(verdict)"
    }

    /// Three significant digits; whole numbers from 100 on.
    static func text(_ number: Double) -> String {
        switch abs(number) {
        case 0: "0"
        case 100...: String(Int(number.rounded()))
        case 10...: trimmed(String(format: "%.1f", number))
        case 1...: trimmed(String(format: "%.2f", number))
        default: trimmed(String(format: "%.3f", number))
        }
    }

    private static func trimmed(_ text: String) -> String {
        guard text.contains(".") else { return text }
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }
}
