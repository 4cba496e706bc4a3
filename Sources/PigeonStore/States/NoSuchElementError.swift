public import PigeonCore

/// Data was required where there is none.
public struct NoSuchElementError: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension NoSuchElementError: PlainlyDescribedError {
    /// What happened, and what to do.
    public var description: String {
        "nothing valid is cached, and nothing was fetched: "
            + "require data from .both or .origin, or use getData, which returns nil"
    }
}
