internal import PigeonCore

/// A row with an invalid value in a column.
struct DamagedRow: Sendable {
    let id: Int64

    /// The key of the record. `nil` if it cannot be read.
    let key: QueryKey?
}
