public import Foundation

/// A mock was asked what it has no answer for.
public struct UnscriptedRequest: Error, Sendable, Hashable {
    /// What the mock was asked to do.
    public let method: HTTPMethod
    /// To what; without the query.
    public let path: String

    /// Creates an error.
    public init(method: HTTPMethod, path: String) {
        self.method = method
        // A query that was written into the path may hold a token.
        self.path = String(path.prefix { $0 != "?" })
    }
}

extension UnscriptedRequest: PlainlyDescribedError, LocalizedError {
    /// Says what was asked, and what to do.
    public var description: String {
        "No answer is scripted for \(method.rawValue) \(path). Script one: "
            + "answer(.\(method.rawValue.lowercased()), \"\(path)\", with: …)."
    }

    /// The description.
    public var errorDescription: String? { description }
}
