internal import PigeonCore

/// A row with a column that holds what it cannot.
struct DamagedRow: Sendable {
    let id: Int64

    /// `nil` when not even that can be read.
    let key: QueryKey?
}
