/// Why a request cannot be sent, whatever its address.
public enum RequestDefect: Error, Sendable {
    /// An adapter, or a plain `URLRequest`, has a method that is not an ``HTTPMethod``.
    case invalidMethod(String)
    /// A header field's name is not one, or its value contains a line break or another control character, tabs aside. The
    /// value is left out: it may be a secret.
    case invalidHeader(name: String)
    /// The body could not be made.
    case invalidBody(reason: String, cause: (any Error)? = nil)
}

extension RequestDefect {
    /// The case's name, to look up a text of the app's own. The library has none for users' eyes.
    public var errorKey: String {
        switch self {
        case .invalidMethod: "InvalidMethod"
        case .invalidHeader: "InvalidHeader"
        case .invalidBody: "InvalidBody"
        }
    }
}

extension RequestDefect: PlainlyDescribedError {
    /// What was wrong, for logs.
    public var description: String {
        switch self {
        case .invalidMethod(let method):
            "nothing was sent: the method \"\(method.printable)\" is not known"
        case .invalidHeader(let name):
            "nothing was sent: the header \"\(name.printable)\" has a name that is none, or a control character, such as a "
                + "line break, in its value"
        case .invalidBody(let reason, let cause):
            "nothing was sent: \(reason)" + (cause.map { " (\(TransientError.label($0)))" } ?? "")
        }
    }
}
