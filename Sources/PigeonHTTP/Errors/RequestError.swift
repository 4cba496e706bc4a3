public import Foundation

/// A request without an address to send it to.
public enum RequestError: Error, Sendable {
    /// The address could not be created. The cause is an ``AddressError`` if the base URL or the path is wrong.
    case invalidURL(cause: any Error)
    /// The dispatcher's server provider has been released.
    case missingServerProvider
    /// The server provider has no base URL.
    case missingURL
}

/// Another name of ``RequestError``, which no type of `PigeonREST` has. Use it where both modules are imported.
public typealias DispatcherRequestError = RequestError

extension RequestError {
    /// The case's name, as a key for texts of the app. An app that conforms the type to `LocalizedError` replaces the
    /// library's text for users, which is `userMessage`.
    public var errorKey: String {
        switch self {
        case .invalidURL: "InvalidURL"
        case .missingServerProvider: "MissingServerProvider"
        case .missingURL: "MissingURL"
        }
    }
}

extension RequestError: PlainlyDescribedError {
    /// Describes the error for logs.
    public var description: String {
        switch self {
        case .invalidURL(let cause as AddressError):
            "nothing was sent: \(cause.description)"
        case .invalidURL(let cause):
            "nothing was sent: base URL, path and query make no address (\(TransientError.label(cause)))"
        case .missingServerProvider:
            "nothing was sent: the server provider is gone; keep it as long as its dispatcher"
        case .missingURL:
            "nothing was sent: the server provider has no base URL"
        }
    }
}

extension RequestError: ReadableError {
    package var userText: UserText {
        switch self {
        case .invalidURL: .invalidURL
        case .missingServerProvider, .missingURL: .cannotSend
        }
    }
}

/// A part of an address that is wrong: the cause of a ``RequestError/invalidURL(cause:)``.
public enum AddressError: Error, Sendable, Hashable {
    /// The base URL has no host, or a scheme other than http and https. Its secret parts are left out here.
    case invalidBaseURL(String)
    /// The path contains a control character; a component `..`, which would lead out of the base URL; or a query, which
    /// belongs in the request's query items.
    case invalidPath(String)
}

extension AddressError: PlainlyDescribedError {
    /// Describes the error for logs.
    public var description: String {
        switch self {
        case .invalidBaseURL(let address): "the base URL \"\(address)\" is not an http or https address with a host"
        case .invalidPath(let path):
            "the path \"\(path.withoutQuery.printable)\" \(path.pathFault ?? "cannot be sent")"
        }
    }
}

extension AddressError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .invalidURL }
}

extension String {
    /// The text before a query. People write queries into paths by mistake.
    var withoutQuery: String { String(unicodeScalars.prefix { $0 != "?" }) }

    /// The reason why the text cannot be the path of a request, or `nil` if it can. All other text is plain, and is
    /// encoded.
    var pathFault: String? {
        if utf8.contains(where: \.isControl) { return "contains a control character" }
        // A server may take an escaped slash for a separator too.
        if unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == .escapedSlash }).contains(where: {
            String($0) == ".."
        }) {
            return "has a component \"..\", which would lead out of the base URL"
        }
        let query = utf8.drop { $0 != UInt8(ascii: "?") }
        return query.contains(UInt8(ascii: "=")) ? "has a query; use queryItems" : nil
    }
}

/// A request that cannot be sent, whatever its address.
public enum RequestDefect: Error, Sendable {
    /// The name of the method is not a token (RFC 9110, 9.1).
    case invalidMethod(String)
    /// A header field's name is not allowed, or its value contains a line break or another control character except
    /// tab. The value is left out, since it can be a secret.
    case invalidHeader(name: String)
    /// The body could not be created.
    case invalidBody(reason: String, cause: (any Error)? = nil)
}

extension RequestDefect {
    /// The case's name, as a key for texts of the app.
    public var errorKey: String {
        switch self {
        case .invalidMethod: "InvalidMethod"
        case .invalidHeader: "InvalidHeader"
        case .invalidBody: "InvalidBody"
        }
    }
}

extension RequestDefect: PlainlyDescribedError {
    /// Describes the error for logs.
    public var description: String {
        switch self {
        case .invalidMethod(let method):
            "nothing was sent: \"\(method.printable)\" cannot be the name of a method"
        case .invalidHeader(let name):
            "nothing was sent: the header \"\(name.printable)\" has a malformed name, or a control character such as a "
                + "line break in its value"
        case .invalidBody(let reason, let cause):
            "nothing was sent: \(reason)" + (cause.map { " (\(TransientError.label($0)))" } ?? "")
        }
    }
}

extension RequestDefect: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .cannotSend }
}
