public import Foundation

/// How much a cache holds.
public struct QueryCacheTotals: Sendable, Hashable {
    /// Number of records.
    public var records: Int
    /// The size of their values in bytes. For a cache in memory, the estimated size.
    public var bytes: Int
    /// The date at which the oldest record was saved. `nil` without records.
    public var oldest: Date?
    /// The date at which the newest record was saved. `nil` without records.
    public var newest: Date?

    /// Creates totals.
    public init(records: Int, bytes: Int, oldest: Date? = nil, newest: Date? = nil) {
        (self.records, self.bytes, self.oldest, self.newest) = (records, bytes, oldest, newest)
    }

    /// Adds up records.
    ///
    /// - Parameter records: The size of each record, and the date at which it was saved.
    init(of records: some Sequence<(bytes: Int, savedAt: Date)>) {
        self.init(records: 0, bytes: 0)
        for record in records {
            self.records += 1
            bytes += record.bytes
            oldest = min(oldest ?? record.savedAt, record.savedAt)
            newest = max(newest ?? record.savedAt, record.savedAt)
        }
    }
}
