/// Who may see what a cache keeps.
public enum DataIsolation: Sendable, Hashable {
    /// All who use the program on this device.
    case sharedByAllUsers
    /// The one who is signed in. What was kept for another is never found.
    ///
    /// - Parameter identifiedBy: Tells users apart: a number or a name. It is not written to the cache in clear.
    case perUser(identifiedBy: String)
}

extension DataIsolation: CustomStringConvertible {
    /// Which case it is. Not who.
    public var description: String {
        switch self {
        case .sharedByAllUsers: "shared by all users"
        case .perUser: "per user"
        }
    }
}
