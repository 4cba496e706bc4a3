internal import Foundation
internal import PigeonCore

extension RecordStoreCheck {
    private static let batchCount = 100

    /// One thread replaces two records in each batch. Two others read them, and must find both from the same batch.
    func checkBatchesOnThreads() throws {
        let isWritten = Locked(false)
        try writeBatch(0)
        try onThreads(3) { index in
            guard index == 0 else {
                while !isWritten.withLock({ $0 }) { try expectWholeBatch() }
                return
            }
            defer { isWritten.withLock { $0 = true } }
            for number in 1...Self.batchCount { try writeBatch(number) }
        }
        try expectWholeBatch()
    }

    private func writeBatch(_ number: Int) throws {
        let record = Self.record("batch \(number)")
        try store.apply([.save(record, for: "batch/first"), .save(record, for: "batch/second")])
    }

    private func expectWholeBatch() throws {
        let found = try store.records(under: "batch").map { String(decoding: $0.record.data, as: UTF8.self) }
        guard found.count != 2 || found.first != found.last else { return }
        throw violation("the two records of a batch", expected: "two of one batch", found: "\(found)")
    }

    /// Each thread saves records of its own, removes some, and reads them back in the meantime.
    func checkThreads() throws {
        let (threadCount, keyCount) = (4, 100)
        try onThreads(threadCount) { thread in
            for number in 0..<keyCount {
                let (key, record) = (QueryKey("threads", thread, number), Self.record("\(thread), \(number)"))
                try store.apply([.save(record, for: key), .save(record, for: key.appending("removed"))])
                try expectRecord(record, for: key)
                try store.apply([.remove(key.appending("removed"))])
            }
        }
        var expected: [QueryKey: QueryRecord] = [:]
        for thread in 0..<threadCount {
            for number in 0..<keyCount {
                expected[QueryKey("threads", thread, number)] = Self.record("\(thread), \(number)")
            }
        }
        try expectRecords(expected)
    }

    /// Runs work on several threads at the same time, and waits for all of them.
    ///
    /// - Throws: The first error.
    private func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
        let (group, errors) = (DispatchGroup(), ThreadErrors())
        for index in 0..<count {
            group.enter()
            Thread {
                do { try work(index) } catch { errors.add(error) }
                group.leave()
            }.start()
        }
        group.wait()
        if let error = errors.first { throw error }
    }
}

/// The errors of threads, in the order in which they occurred.
private final class ThreadErrors: Sendable {
    private let errors = Locked<[any Error]>([])

    var first: (any Error)? { errors.withLock { $0.first } }

    func add(_ error: any Error) { errors.withLock { $0.append(error) } }
}
