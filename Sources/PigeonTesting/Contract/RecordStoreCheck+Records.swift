internal import Foundation
internal import PigeonCore

extension RecordStoreCheck {
    func checkUnsaved() throws {
        try expectRecord(nil, for: "a")
        try expectRecords([:])
        try store.apply([.remove("a"), .markStale(.key("a")), .markStale(.all), .removeAll])
        try store.apply([], removing: [.key("a"), .path("a"), .tag("a"), .all])
        try store.apply([])
        try expectRecords([:])
        try expectRecords([:], under: "a")
    }

    /// Records with unusual values of each field.
    static let examples: [QueryKey: QueryRecord] = [
        "plain": record("value"),
        "date": QueryRecord(data: Data([1]), savedAt: Date(timeIntervalSinceReferenceDate: -1_234_567.891), schema: 3),
        "empty": QueryRecord(
            data: Data(), savedAt: Date(timeIntervalSinceReferenceDate: 0), isStale: true, freshFor: 0),
        "bytes": QueryRecord(
            data: Data(0...255), savedAt: Date(timeIntervalSinceReferenceDate: 1), schema: -1, freshFor: .infinity,
            validators: FetchValidators(eTag: "W/\"1:\u{E9}\""), tags: ["b", "a"]),
        "long": QueryRecord(
            data: Data(repeating: 9, count: 300_000), savedAt: Date(timeIntervalSinceReferenceDate: 2),
            schema: 1_000_000, freshFor: 90.5,
            validators: FetchValidators(eTag: "a", lastModified: "Tue, 15 Nov 1994 12:45:26 GMT"),
            tags: ["", "\u{E9}", "a/b", "4:x", "\u{1F426}"]),
        "modified": QueryRecord(
            data: Data([2]), savedAt: Date(timeIntervalSinceReferenceDate: 3),
            validators: FetchValidators(lastModified: "Tue, 15 Nov 1994 12:45:26 GMT"), tags: ["one"]),
        "allowed": QueryRecord(
            data: Data([3]), savedAt: Date(timeIntervalSinceReferenceDate: 4), staleWhileRevalidate: 0.1,
            staleIfError: 86_400),
    ]

    func checkFields() throws {
        try store.apply(Self.examples.map { .save($0.value, for: $0.key) })
        try expectRecords(Self.examples)
    }

    func checkTotals() throws {
        guard let empty = try store.totals() else { return }
        try expect(empty, is: QueryCacheTotals(records: 0, bytes: 0), "the totals of an empty store")
        try store.apply(Self.examples.map { .save($0.value, for: $0.key) })
        guard let totals = try store.totals() else { return }
        let records = Self.examples.values
        try expect(totals.records, is: records.count, "the number of records")
        try expect(totals.bytes, is: records.reduce(0) { $0 + $1.data.count }, "the size of all values")
        try expectDate(totals.oldest, is: records.map(\.savedAt).min(), "the oldest date")
        try expectDate(totals.newest, is: records.map(\.savedAt).max(), "the newest date")
    }

    private func expectDate(_ found: Date?, is expected: Date?, _ subject: String) throws {
        let distance = found.flatMap { found in expected.map { abs(found.timeIntervalSince($0)) } }
        if distance ?? 1 > 0.001 { throw violation(subject, expected: expected, found: found) }
    }

    func checkReplacement() throws {
        var first = Self.record("first", tags: ["old", "both"])
        first.validators = FetchValidators(eTag: "1")
        first.freshFor = 60
        let second = Self.record("second", tags: ["both", "new"])
        try store.apply([.save(first, for: "a"), .markStale(.key("a"))])
        try store.apply([.save(second, for: "a")])
        try expectRecords(["a": second])
        try store.apply([], removing: [.tag("old")])
        try expectRecords(["a": second])
        try store.apply([], removing: [.tag("new")])
        try expectRecords([:])
    }

    func checkOrder() throws {
        try store.apply([
            .save(Self.record("gone"), for: "a"), .removeAll, .save(Self.record("1"), for: "b"), .markStale(.all),
            .save(Self.record("2"), for: "c"), .save(Self.record("3"), for: "d"), .remove("d"),
        ])
        var marked = Self.record("1")
        marked.isStale = true
        try expectRecords(["b": marked, "c": Self.record("2")])
        try store.apply([.remove("c"), .save(Self.record("4"), for: "c"), .save(Self.record("5"), for: "c")])
        try expectRecords(["b": marked, "c": Self.record("5")])
    }

    func checkKeys() throws {
        try fill()
        try expectRecords(Self.samples)
        let (composed, decomposed) = (QueryKey("caf\u{E9}", "x"), QueryKey("cafe\u{301}", "x"))
        try store.apply([.removeAll, .save(Self.record("1"), for: composed)])
        try store.apply([.save(Self.record("2"), for: decomposed)])
        try expectRecords([composed: Self.record("2")])
        try expectRecords([composed: Self.record("2")], under: "cafe\u{301}")
        try store.apply([.remove(decomposed)])
        try expectRecords([:])
    }

    func checkManyRecords() throws {
        var records: [QueryKey: QueryRecord] = [:]
        for number in 0..<2_000 { records[QueryKey("many", number % 2, number)] = Self.record("\(number)") }
        try fill(with: records)
        try expectRecords(records)
        try store.apply([], removing: [.path(QueryKey("many", 0))])
        try expectRecords(records.filter { !$0.key.isWithin(QueryKey("many", 0)) })
    }

    // MARK: Values

    func checkValues() throws {
        let (key, other) = (QueryKey("values", 1), QueryKey("values", 2))
        let date = Date(timeIntervalSinceReferenceDate: 1_000)
        try expect(store.get(for: key) as [String]?, is: nil, "the value before it is saved")
        store.save(["one", "two"], for: key, andTimestamp: date)
        store.save(["three"], for: other, andTimestamp: date)
        try expect(store.get(for: key) as [String]?, is: ["one", "two"], "the value")
        try expect(store.record(for: key) == nil, is: false, "the absence of the value's record")
        try expectAge(of: key, savedAt: date)
        store.markStale(.key(key))
        try expect(store.isMarkedStale(key), is: true, "the mark of the value that was marked stale")
        try expect(store.get(for: key) as [String]?, is: ["one", "two"], "the value that was marked stale")
        try expect(isValid(key, at: date, .notExpires), is: false, "the validity of the value that was marked stale")
        try expect(store.isMarkedStale(other), is: false, "the mark of another value")
        store.save(["four"], for: key, andTimestamp: date)
        try expect(store.isMarkedStale(key), is: false, "the mark of a value that was saved again")
        try checkRemovalOfValues(key, other)
    }

    private func expectAge(of key: QueryKey, savedAt date: Date) throws {
        let savedAt = store.savedAt(for: key) ?? .distantPast
        try expect(abs(savedAt.timeIntervalSince(date)) < 0.001, is: true, "the date \(savedAt) is \(date)")
        let later = date.addingTimeInterval(10)
        try expect(isValid(key, at: later, .notExpires), is: true, "the validity of a value that does not expire")
        try expect(isValid(key, at: later, .expiresAfter(20)), is: true, "the validity of a value before it expires")
        try expect(isValid(key, at: later, .expiresAfter(5)), is: false, "the validity of a value that has expired")
    }

    private func isValid(_ key: QueryKey, at date: Date, _ policy: QueryCacheConfig.InvalidationPolicy) -> Bool {
        store.isValueValid(forKey: key, timestamp: date, andInvalidationPolicy: policy)
    }

    private func checkRemovalOfValues(_ key: QueryKey, _ other: QueryKey) throws {
        try store.removeValues(under: "values") { $0 == key }
        try expect(store.get(for: key) as [String]?, is: nil, "the value that was removed by its path")
        try expect(store.get(for: other) as [String]?, is: ["three"], "a value that a removal by path leaves out")
        store.invalidate(for: other)
        try expect(store.get(for: other) as [String]?, is: nil, "the value that was removed by its key")
        store.save(["five"], for: key, andTimestamp: Date(timeIntervalSinceReferenceDate: 1_000))
        try store.removeAll()
        try expectRecords([:])
    }

    // MARK: A second store

    private static let outliving = samples.merging(examples) { _, example in example }

    func saveRecordsToOutliveStore() throws {
        try fill(with: Self.outliving)
        try store.apply([.save(Self.record("removed"), for: "removed"), .markStale(.path("a"))])
        try store.apply([.remove("removed")], removing: [.path(QueryKey("a", "b"))])
        store.flush()
    }

    func expectOutlivingRecords() throws {
        var expected = Self.outliving.filter { !$0.key.isWithin(QueryKey("a", "b")) }
        for key in expected.keys where key.isWithin("a") { expected[key]?.isStale = true }
        try expectRecords(expected)
    }
}
