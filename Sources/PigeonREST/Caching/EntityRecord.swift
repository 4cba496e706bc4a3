internal import Foundation
internal import PigeonHTTP

/// An entity as it is kept: without header fields that hold secrets, such as `Set-Cookie`.
struct EntityRecord<Content: Codable & Sendable>: Codable, Sendable {
    private let content: Content
    private let headers: [String: String]
    private let charset: String?
    private let timestamp: TimeInterval

    /// `nil` for content of another type.
    init?(_ entity: Entity<any Sendable>) {
        guard let content: Content = ContentCast.cast(entity.content), entity.timestamp.isFinite else { return nil }
        self.content = content
        headers = entity.headers.filter { !Redaction.isSecret(header: $0.key.lowercased()) }
        charset = entity.charset
        timestamp = entity.timestamp
    }

    var entity: Entity<any Sendable> {
        Entity(content: content, charset: charset, headers: headers, timestamp: timestamp)
    }
}
