/// What a request asks the server to do (RFC 9110, 9).
public enum HTTPMethod: String, Sendable, Hashable, CaseIterable, Codable {
    /// Asks which methods a resource knows.
    case options = "OPTIONS"
    /// Asks for a resource.
    case get = "GET"
    /// Asks for what ``get`` would answer, without the body.
    case head = "HEAD"
    /// Hands something in.
    case post = "POST"
    /// Replaces a resource.
    case put = "PUT"
    /// Changes parts of a resource.
    case patch = "PATCH"
    /// Removes a resource.
    case delete = "DELETE"
    /// Asks for what the server received.
    case trace = "TRACE"
    /// Opens a tunnel. `URLSession` does not send it.
    case connect = "CONNECT"

    /// Whether sending it twice does what sending it once does (RFC 9110, 9.2.2), so that a lost answer may be asked again.
    public var isIdempotent: Bool {
        switch self {
        case .options, .get, .head, .put, .delete, .trace: true
        case .post, .patch, .connect: false
        }
    }
}
