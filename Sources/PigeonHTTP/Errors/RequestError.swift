/// Why a request was not sent.
public enum RequestError: Error, Sendable {
    /// The address could not be made.
    case invalidURL(cause: any Error)
    /// The dispatcher's server provider is gone.
    case missingServerProvider
    /// The server provider has no base URL.
    case missingURL
    /// The base URL, here without what may be secret, has no scheme or no host, or one that HTTP does not know.
    case invalidBaseURL(String)
    /// The path holds what no path may hold.
    case invalidPath(String)
    /// An adapter chose a method that is not known here.
    case invalidMethod(String)
    /// A header's name is none, or its value holds a line break. The value is not told: it may be a secret.
    case invalidHeader(name: String)
    /// The body could not be made.
    case invalidBody(reason: String, cause: (any Error)? = nil)
}

extension RequestError {
    /// The case's name, to look up a text of the app's own. The library has none for users' eyes.
    public var errorKey: String {
        switch self {
        case .invalidURL: "InvalidURL"
        case .missingServerProvider: "MissingServerProvider"
        case .missingURL: "MissingURL"
        case .invalidBaseURL: "InvalidBaseURL"
        case .invalidPath: "InvalidPath"
        case .invalidMethod: "InvalidMethod"
        case .invalidHeader: "InvalidHeader"
        case .invalidBody: "InvalidBody"
        }
    }
}

extension RequestError: PlainlyDescribedError {
    /// What was wrong, for logs.
    public var description: String {
        switch self {
        case .invalidURL(let cause):
            "nothing was sent: base URL, path and query make no address (\(TransientError.label(cause)))"
        case .missingServerProvider:
            "nothing was sent: the server provider is gone; keep it as long as its dispatcher"
        case .missingURL:
            "nothing was sent: the server provider has no base URL"
        case .invalidBaseURL(let address):
            "nothing was sent: the base URL \"\(address)\" is no http or https address with a host"
        case .invalidPath(let path):
            "nothing was sent: the path \"\(path.withoutQuery.printable)\" holds a control character"
        case .invalidMethod(let method):
            "nothing was sent: an adapter chose the method \"\(method.printable)\", which is not known"
        case .invalidHeader(let name):
            "nothing was sent: the header \"\(name.printable)\" has a name that is none, or a line break in its value"
        case .invalidBody(let reason, let cause):
            "nothing was sent: \(reason)" + (cause.map { " (\(TransientError.label($0)))" } ?? "")
        }
    }
}

extension String {
    /// What stands before a query, which people write into paths by mistake.
    var withoutQuery: String { String(unicodeScalars.prefix { $0 != "?" }) }
}
