/// Brings data from its origin.
public protocol Fetcher<PARAM, DATA>: Sendable {
    /// What tells one piece of data from another.
    associatedtype PARAM: Hashable & Sendable
    /// The data.
    associatedtype DATA: Sendable

    /// Fetches the data.
    func fetch(param: PARAM) async throws -> DATA
}
