/// How a download is done.
public struct DownloadOptions: Sendable, Hashable {
    /// The most bytes of the file, or `nil` for no limit. A longer one is not read on.
    public var limit: Int?
    /// Whether what has arrived by a failure is kept, so that the same download goes on from there next time.
    ///
    /// It is kept beside the destination, as `.name.download`, and only where the server named the version of what it sent
    /// by a strong `ETag` or a `Last-Modified` (RFC 9110, 13.1.5), with which it is asked for the rest.
    public var keepsPartialFile: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of the file, or `nil` for no limit.
    ///   - keepsPartialFile: Whether a failed download goes on next time from where it failed.
    public init(limit: Int? = nil, keepsPartialFile: Bool = false) {
        self.limit = limit
        self.keepsPartialFile = keepsPartialFile
    }
}
