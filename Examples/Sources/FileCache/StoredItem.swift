import Foundation
import PigeonCore

/// A record and its key, as a file contains them.
struct StoredItem: Codable, Equatable {
    let key: QueryKey
    let data: Data
    let savedAt: Date
    let schema: Int
    var isStale: Bool
    /// The bits of the number, which may be infinite. JSON has no infinity.
    let freshFor: UInt64?
    let eTag: String?
    let lastModified: String?
    let staleWhileRevalidate: TimeInterval?
    let staleIfError: TimeInterval?
    let tags: [String]

    init(_ record: QueryRecord, for key: QueryKey) {
        (self.key, data, savedAt, schema) = (key, record.data, record.savedAt, record.schema)
        (isStale, freshFor, tags) = (record.isStale, record.freshFor?.bitPattern, record.tags)
        (eTag, lastModified) = (record.validators.eTag, record.validators.lastModified)
        (staleWhileRevalidate, staleIfError) = (record.staleWhileRevalidate, record.staleIfError)
    }

    var record: QueryRecord {
        QueryRecord(
            data: data, savedAt: savedAt, schema: schema, isStale: isStale,
            freshFor: freshFor.map { TimeInterval(bitPattern: $0) },
            validators: FetchValidators(eTag: eTag, lastModified: lastModified),
            staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError, tags: tags)
    }
}
