internal import PigeonCore

/// Which entities belong together: those of one format, name, content type and user.
struct EntitySpace {
    /// Changes when older records must not be read.
    private static let format = 1

    /// What the keys of its entities begin with. A hash, so that a name of a user is not written down.
    let key: QueryKey

    init(name: String, contentType: Any.Type, isolation: DataIsolation) {
        let user: [String] =
            switch isolation {
            case .sharedByAllUsers: []
            case .perUser(let name): [name]
            }
        // As a key, since parts of keys never run together.
        let text = QueryKey(first: Self.format, rest: [name, String(reflecting: contentType)] + user)
        key = QueryKey("entities", SHA256.hexDigest(of: text.queryKeyValue))
    }
}
