internal import Foundation

/// Takes figures, and prints each as soon as it is there.
final class Recorder: @unchecked Sendable {  // used by one workload at a time, never by two threads at once
    let repetitions: Int
    private(set) var figures: [Figure] = []

    init(repetitions: Int) {
        self.repetitions = repetitions
    }

    func record(
        _ name: String, _ subject: String, _ unit: Figure.Unit, _ value: Double, floor: Double? = nil,
        target: Double? = nil
    ) {
        let figure = Figure(name: name, subject: subject, unit: unit, value: value, floor: floor, target: target)
        figures.append(figure)
        print(figure.line)
        fflush(nil)
    }

    /// The median of several measurements; the first, which warms caches up, does not count.
    func median(_ measurement: () throws -> Double) rethrows -> Double {
        _ = try measurement()
        var numbers: [Double] = []
        for _ in 0..<repetitions { numbers.append(try measurement()) }
        return numbers.middle
    }

    /// The median of several measurements; the first, which warms caches up, does not count.
    func median(_ measurement: () async throws -> Double) async rethrows -> Double {
        _ = try await measurement()
        var numbers: [Double] = []
        for _ in 0..<repetitions { numbers.append(try await measurement()) }
        return numbers.middle
    }
}

/// The nanoseconds that `work` takes.
func nanoseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return start.duration(to: .now) / .nanoseconds(1)
}

/// The nanoseconds that `work` takes.
func nanoseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return start.duration(to: .now) / .nanoseconds(1)
}

/// Keeps the optimizer from seeing that nobody uses `value`.
@inline(never)
@_optimize(none)
func use<T>(_ value: T) {}

/// Keeps the optimizer from seeing that nobody uses `number`. Costs a nanosecond, where a value of another type costs 13.
@inline(never)
@_optimize(none)
func use(_ number: Int) {}

extension [Double] {
    /// The median.
    var middle: Double {
        let sorted = sorted()
        let half = count / 2
        return count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
    }
}
