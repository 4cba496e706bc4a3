package import CoreMetrics
import NIOConcurrencyHelpers

/// The instruments of swift-metrics, as a page in the text format of Prometheus.
package final class MetricsPage: MetricsFactory {
    private let values = NIOLockedValueBox<[String: Double]>([:])

    package init() {}

    /// A line for each instrument and its dimensions, sorted.
    package var text: String {
        values.withLockedValue { $0.map { "\($0.key) \(Int(exactly: $0.value).map(String.init) ?? "\($0.value)")\n" } }
            .sorted().joined()
    }

    /// A counter for each kind of what is counted. Making one takes longer than counting.
    func counters(_ label: String, of kinds: [String]) -> [String: Counter] {
        Dictionary(
            uniqueKeysWithValues: kinds.map { ($0, Counter(label: label, dimensions: [("of", $0)], factory: self)) })
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Instrument(page: self, label, dimensions)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        Instrument(page: self, label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        Instrument(page: self, label, dimensions)
    }

    // A page of Prometheus keeps what it has counted.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    fileprivate func change(_ line: String, _ change: (inout Double) -> Void) {
        values.withLockedValue { change(&$0[line, default: 0]) }
    }
}

/// Any kind of instrument. The kind decides which of its functions are called.
private final class Instrument: CounterHandler, RecorderHandler, TimerHandler {
    private let page: MetricsPage
    private let name: String
    private let dimensions: String

    init(page: MetricsPage, _ label: String, _ dimensions: [(String, String)]) {
        self.page = page
        name = Self.name(label)
        let pairs = dimensions.map { name, value in
            "\(Self.name(name))=\"\(value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        self.dimensions = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    /// Prometheus allows letters, digits and underscores.
    private static func name(_ label: String) -> String {
        String(label.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    func increment(by amount: Int64) { change("_total") { $0 += Double(amount) } }
    func reset() { change("_total") { $0 = 0 } }

    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { change("") { $0 = value } }

    func recordNanoseconds(_ duration: Int64) {
        change("_seconds_count") { $0 += 1 }
        change("_seconds_sum") { $0 += Double(duration) / 1e9 }
    }

    private func change(_ suffix: String, _ change: (inout Double) -> Void) {
        page.change(name + suffix + dimensions, change)
    }
}
