public import Foundation
public import PigeonCore

/// An error that is thrown if data is required but there is none.
public struct NoSuchElementError: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension NoSuchElementError: PlainlyDescribedError {
    /// Describes the problem and the remedy.
    public var description: String {
        "nothing valid is cached, and nothing was fetched: "
            + "require data from .both or .origin, or use getData, which returns nil"
    }
}

extension NoSuchElementError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .noData }
}

/// An error that is thrown if a page is requested although the data itself could not be loaded.
public struct AdditionalRequestOnErrorStateException: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension AdditionalRequestOnErrorStateException: PlainlyDescribedError {
    /// Describes the problem and the remedy.
    public var description: String {
        "a page was asked for, but the data that it belongs to could not be loaded: refresh first"
    }
}

extension AdditionalRequestOnErrorStateException: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .notLoaded }
}

/// An error that is thrown if a page is requested but there is no data to add it to.
public struct AdditionalRequestOnNilException: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

extension AdditionalRequestOnNilException: PlainlyDescribedError {
    /// Describes the problem and the remedy.
    public var description: String {
        "a page was asked for, but there is no data to add it to: publish or refresh first"
    }
}

extension AdditionalRequestOnNilException: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .noData }
}
