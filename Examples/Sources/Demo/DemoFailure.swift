import Foundation

/// Why the demo could not go on.
enum DemoFailure: Error, CustomStringConvertible {
    case waitedTooLong(for: String)
    case secondProcess(String)
    case unreachable(URL, reason: String)
    case unusable(URL)

    var description: String {
        switch self {
        case .waitedTooLong(let event): "waited 10 s in vain for \(event)"
        case .secondProcess(let reason): "the second process \(reason)"
        case .unreachable(let url, let reason):
            "no server answers at \(url) (\(reason)): start one, or leave out --url"
        case .unusable(let url): "the server at \(url) has no users as JSONPlaceholder has: give another, or none"
        }
    }
}
