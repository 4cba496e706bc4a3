internal import Foundation
internal import PigeonCore

struct RecordStoreCheck: Sendable {
    let rule: RecordStoreContract.Rule
    let store: any QueryRecordStore

    func run() throws {
        switch rule {
        case .returnsNothingUnsaved: try checkUnsaved()
        case .keepsEveryField: try checkFields()
        case .replacesRecords: try checkReplacement()
        case .appliesChangesInOrder: try checkOrder()
        case .keepsKeysApart: try checkKeys()
        case .findsByPath: try checkPaths()
        case .removesByKey: try checkRemovalByKey()
        case .removesByPath: try checkRemovalByPath()
        case .removesByTag: try checkRemovalByTag()
        case .removesAll: try checkRemovalOfAll()
        case .removesBeforeChanges: try checkRemovalBeforeChanges()
        case .marksStale: try checkMarks()
        case .keepsManyRecords: try checkManyRecords()
        case .readsWholeBatches: try checkBatchesOnThreads()
        case .losesNothingToThreads: try checkThreads()
        case .servesValues: try checkValues()
        case .addsUpRecords: try checkTotals()
        case .outlivesStore: break
        }
    }

    // MARK: Expectations

    func expect<Value: Equatable>(_ found: Value, is expected: Value, _ subject: @autoclosure () -> String) throws {
        guard found != expected else { return }
        throw violation(subject(), expected: expected, found: found)
    }

    func violation<Value>(_ subject: String, expected: Value, found: Value) -> RecordStoreContract.Violation {
        RecordStoreContract.Violation(rule: rule, subject: subject, expected: "\(expected)", found: "\(found)")
    }

    func expectRecord(_ expected: QueryRecord?, for key: QueryKey) throws {
        try expect(store.record(for: key), is: expected, for: key)
    }

    /// Expects these records at and below a path, or in the whole store, and the same records when each is read alone.
    func expectRecords(_ expected: [QueryKey: QueryRecord], under path: QueryKey? = nil) throws {
        let found = try store.records(under: path)
        let place = path.map { "the keys under \(Self.short($0))" } ?? "all keys"
        try expect(found.map { Self.short($0.key) }.sorted(), is: expected.keys.map(Self.short).sorted(), place)
        for (key, record) in found { try expect(record, is: expected[key], for: key) }
        for (key, record) in expected { try expectRecord(record, for: key) }
    }

    private func expect(_ found: QueryRecord?, is expected: QueryRecord?, for key: QueryKey) throws {
        let isSame = if let found, let expected { found.isSame(as: expected) } else { found == expected }
        guard !isSame else { return }
        throw violation(
            "the record of \(Self.short(key))", expected: expected.map { "\($0)" } ?? "no record",
            found: found.map { "\($0)" } ?? "no record")
    }

    /// Returns the text of a key, shortened for an error.
    static func short(_ key: QueryKey) -> String {
        let text = key.queryKeyValue
        guard !text.isEmpty else { return "the empty key" }
        return text.count > 60 ? "\(text.prefix(40))…\(text.suffix(8)) (\(text.count) characters)" : text
    }

    // MARK: Examples

    /// Keys that come close to each other in text, in bytes, or in the name of a file.
    static let keys: [QueryKey] = {
        let long = String(repeating: "long", count: 1_000)
        let longer = "\(long)x"
        return [
            "a", QueryKey("a", "b"), QueryKey("a", "b", "c"), "ab", "A", QueryKey(value: "a/b"), QueryKey("a/b", "c"),
            QueryKey("a", "b/c"), QueryKey(value: "a%2Fb"), "%", "a.", "a-", "a0", QueryKey("a", "0"),
            QueryKey("a", ""), QueryKey("a", "", ""), "", QueryKey("", "a"), QueryKey("", ""), ".", "..", "e", "\u{E9}",
            QueryKey("\u{E9}", "x"), "\u{1F426}", "nul", QueryKey(value: "nul\0"), QueryKey("nul\0", "x"), "a_", "a*",
            "'", QueryKey("a", "\u{10FFFF}"), QueryKey(value: long), QueryKey(long, "x"), QueryKey(value: longer),
        ]
    }()

    static func record(_ text: String, tags: [String] = []) -> QueryRecord {
        QueryRecord(data: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1_000), tags: tags)
    }

    static let samples = Dictionary(uniqueKeysWithValues: keys.map { ($0, record("value of \($0)")) })

    func fill(with records: [QueryKey: QueryRecord] = RecordStoreCheck.samples) throws {
        let changes = records.map { QueryRecordChange.save($0.value, for: $0.key) }
        try store.apply([QueryRecordChange.removeAll] + changes)
    }
}

extension QueryRecord {
    /// Compares records. Dates are equal if they differ by less than a millisecond.
    fileprivate func isSame(as other: QueryRecord) -> Bool {
        var rounded = self
        if abs(savedAt.timeIntervalSince(other.savedAt)) < 0.001 { rounded.savedAt = other.savedAt }
        return rounded == other
    }
}
