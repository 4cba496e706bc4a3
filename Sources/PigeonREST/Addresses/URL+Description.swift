internal import Foundation

extension URL {
    /// The address for logs and descriptions: without user, password, query and fragment.
    var nameForLogs: String {
        var parts = URLParts(absoluteString)
        (parts.query, parts.fragment) = (nil, nil)
        if let authority = parts.authority, let at = authority.lastIndex(of: "@") {
            parts.authority = authority[authority.index(after: at)...]
        }
        return parts.text
    }
}
