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
