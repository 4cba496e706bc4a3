public import PigeonCore

/// A page was asked for while the data itself could not be loaded.
public struct AdditionalRequestOnErrorStateException: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension AdditionalRequestOnErrorStateException: PlainlyDescribedError {
    /// What happened, and what to do.
    public var description: String {
        "a page was asked for, but the data that it belongs to could not be loaded: refresh first"
    }
}
