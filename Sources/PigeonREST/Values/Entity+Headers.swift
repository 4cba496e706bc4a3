internal import Foundation
internal import PigeonHTTP

extension Entity {
    /// What kind of content it is. "application/octet-stream" when the server did not say.
    public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

    /// The server's name for this state of the content (RFC 9110, 8.8.3).
    public var etag: String? { headers["etag"] }

    /// A header field, however its name is written.
    public func header(forKey key: String) -> String? { headers[key.lowercased()] }

    /// When the content was last changed, as the server wrote it (RFC 9110, 8.8.2).
    package var lastModified: String? { headers["last-modified"] }

    /// Forgets what the server said of version and age: for content that is no longer the server's.
    package mutating func forgetVersion() {
        var rest = headers
        for name in ["etag", "last-modified", "cache-control", "expires", "age", "date"] { rest[name] = nil }
        headers = rest
    }
}
