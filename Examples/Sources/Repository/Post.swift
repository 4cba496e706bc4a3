public import GRDB

/// A post, as the server sends it and as a row says it.
public struct Post: Codable, Sendable, Equatable, FetchableRecord {
    /// Grows with time: of two posts, the newer has the larger.
    public let id: Int
    /// Whose feed it is in.
    public let userId: Int
    /// What it is called.
    public let title: String
}
