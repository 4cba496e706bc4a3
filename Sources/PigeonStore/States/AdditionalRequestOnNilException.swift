public import PigeonCore

/// A page was asked for where there is no data to add it to.
public struct AdditionalRequestOnNilException: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension AdditionalRequestOnNilException: PlainlyDescribedError {
    /// What happened, and what to do.
    public var description: String {
        "a page was asked for, but there is no data to add it to: publish or refresh first"
    }
}
