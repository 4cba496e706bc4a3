internal import CCounts
internal import Foundation

/// Takes the figures that the guard compares: the calls of named flows, and the growth of costs.
final class Meter: @unchecked Sendable {  // used by one part at a time, never by two threads at once
    /// One line of the file.
    struct Row {
        let name: String
        let subject: String
        /// The calls of one operation in the order of ``columns``, or one exponent.
        var numbers: [Double]
    }

    static let columns = ["allocations", "retains", "releases", "look-ups", "casts", "accesses", "tasks", "reads"]

    private(set) var flows: [Row] = []
    private(set) var growths: [Row] = []

    private let rounds = 5

    /// Counts the calls of an operation. The round with the fewest calls counts: other work of the program, such as
    /// a timer, can only add to them. The first round, which fills caches, does not count.
    ///
    /// - Parameters:
    ///   - parts: Number of equal parts of the operation, by which its calls are divided.
    ///   - operations: Number of operations in a round.
    ///   - operation: Receives the number of the call, from 0.
    func count(
        _ name: String, _ subject: String, parts: Int = 1, operations: Int = 200, _ operation: (Int) throws -> Void
    ) rethrows {
        for round in 0...rounds {
            let before = Self.calls
            for index in 0..<operations { try operation(round * operations + index) }
            let after = Self.calls
            if round > 0 { record(name, subject, before, after, operations * parts) }
        }
    }

    /// Counts the calls of an operation that suspends.
    func count(
        _ name: String, _ subject: String, parts: Int = 1, operations: Int = 200,
        _ operation: (Int) async throws -> Void
    ) async rethrows {
        for round in 0...rounds {
            let before = Self.calls
            for index in 0..<operations { try await operation(round * operations + index) }
            let after = Self.calls
            if round > 0 { record(name, subject, before, after, operations * parts) }
        }
    }

    /// Measures the exponent by which the time of one operation grows with the number of elements. The median of several
    /// rounds counts.
    func measure(_ growth: Growth) async throws {
        var exponents = [[Double]](repeating: [], count: growth.subjects.count)
        _ = try await growth.measure(growth.few)
        for _ in 0..<rounds {
            let times = zip(try await growth.measure(growth.few), try await growth.measure(growth.many))
            for (index, (few, many)) in times.enumerated() {
                exponents[index].append(growth.exponent(few, many, growth.many))
            }
        }
        for (subject, exponents) in zip(growth.subjects, exponents) {
            let text = "\(subject.value), \(growth.few) to \(growth.many) \(growth.elements)"
            Self.merge(Row(name: subject.key, subject: text, numbers: [exponents.middle]), into: &growths)
        }
    }

    private func record(_ name: String, _ subject: String, _ before: counts, _ after: counts, _ parts: Int) {
        let fields: [KeyPath<counts, UInt64>] = [
            \.allocations, \.retains, \.releases, \.lookups, \.casts, \.accesses, \.tasks, \.reads,
        ]
        let numbers = fields.map { Double(after[keyPath: $0] - before[keyPath: $0]) / Double(parts) }
        Self.merge(Row(name: name, subject: subject, numbers: numbers), into: &flows)
    }

    /// Keeps the smaller numbers of a row that was taken before.
    private static func merge(_ row: Row, into rows: inout [Row]) {
        guard let index = rows.firstIndex(where: { $0.name == row.name }) else { return rows.append(row) }
        rows[index].numbers = zip(rows[index].numbers, row.numbers).map { min($0, $1) }
    }

    private static var calls: counts {
        var calls = counts()
        _ = counts_read(&calls)
        return calls
    }
}
