/// What a server gave to ask later whether a value has changed.
public struct FetchValidators: Sendable, Hashable {
    /// The entity tag (RFC 9110, 8.8.3).
    public var eTag: String?
    /// The date of the last change, as the server wrote it (RFC 9110, 8.8.2).
    public var lastModified: String?

    /// Creates validators.
    public init(eTag: String? = nil, lastModified: String? = nil) {
        self.eTag = eTag
        self.lastModified = lastModified
    }

    /// Whether there is nothing to ask with.
    public var isEmpty: Bool { eTag == nil && lastModified == nil }
}
