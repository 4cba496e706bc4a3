internal import PigeonCore

/// Which entities belong together: those of one format, name and content type, and among them those of one user.
///
/// Hashes stand in keys, so that no user's name is written down.
struct EntitySpace {
    /// Changes when older records must not be read.
    private static let format = 1

    /// What the keys of all its entities begin with.
    let root: QueryKey

    /// What the keys of one user's begin with.
    let key: QueryKey

    init(name: String, contentType: Any.Type, isolation: DataIsolation) {
        // As a key, since parts of keys never run together.
        let kind = QueryKey(first: Self.format, rest: [name, String(reflecting: contentType)])
        root = QueryKey("entities", SHA256.hexDigest(of: kind.queryKeyValue))
        switch isolation {
        case .sharedByAllUsers: key = root.appending("shared")
        case .perUser(let name): key = root.appending(SHA256.hexDigest(of: kind.appending(name).queryKeyValue))
        }
    }
}
