/// Says what goes wrong at a demo server, and for which paths.
///
/// ```swift
/// server.faults = .failing(["/posts"], status: 503, retryAfter: 1, times: 2)
/// server.faults = .resetting(["/users/3"])
/// server.faults = .losingAnswers(["/posts"], times: 1)
/// server.faults = .offline
/// server.faults = .none
/// ```
public struct Faults: Sendable, Equatable {
    /// What a failing request gets.
    public enum Effect: Sendable, Equatable {
        /// An answer with this status, 400 to 599, and a `Retry-After` of whole seconds where given.
        case status(Int, retryAfter: Int? = nil)
        /// A connection that is reset in place of an answer.
        case reset
        /// The request is carried out, but its answer gets lost: 504, as of a gateway that did not wait for it.
        case lostAnswer
    }

    /// The paths that fail, each with all below it: `/posts` is also `/posts/1`, and `/` is every path.
    public var paths: [String]
    /// What happens to a request of a failing path.
    public var effect: Effect
    /// How many requests fail before all is well again; `nil` for all.
    public var remaining: Int?
    /// Whether open connections are dropped and new ones closed as soon as a request arrives.
    public var isOffline: Bool

    /// Creates faults for some paths.
    public init(
        paths: [String] = [], effect: Effect = .status(503), remaining: Int? = nil, isOffline: Bool = false
    ) {
        self.paths = paths
        self.effect = effect
        self.remaining = remaining
        self.isOffline = isOffline
    }

    /// All is well.
    public static let none = Faults()

    /// No request is answered: its connection is closed at once.
    public static let offline = Faults(isOffline: true)

    /// Answers requests of these paths with a status: every request, or only the next `times`.
    public static func failing(
        _ paths: [String] = ["/"], status: Int = 503, retryAfter: Int? = nil, times: Int? = nil
    ) -> Faults {
        Faults(paths: paths, effect: .status(status, retryAfter: retryAfter), remaining: times)
    }

    /// Resets the connection of requests of these paths: of every request, or only of the next `times`.
    public static func resetting(_ paths: [String] = ["/"], times: Int? = nil) -> Faults {
        Faults(paths: paths, effect: .reset, remaining: times)
    }

    /// Carries out the requests of these paths, and loses the answers: to every request, or only to the next `times`.
    public static func losingAnswers(_ paths: [String] = ["/"], times: Int? = nil) -> Faults {
        Faults(paths: paths, effect: .lostAnswer, remaining: times)
    }

    /// Returns what happens to a request of a path, and counts it.
    package mutating func strike(_ path: [String]) -> Effect? {
        guard remaining != 0, paths.contains(where: { path.starts(with: $0.pathSegments) }) else { return nil }
        remaining = remaining.map { max($0 - 1, 0) }
        return effect
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts between slashes, without empty ones.
    package var pathSegments: [String] {
        split(separator: "/").map(String.init)
    }
}
