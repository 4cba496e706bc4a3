/// Why a request was not sent.
public enum RequestError: Error, Sendable {
    /// The address could not be made.
    case invalidURL(cause: any Error)
    /// The dispatcher's server provider is gone.
    case missingServerProvider
    /// The server provider has no base URL.
    case missingURL
    /// The base URL has no scheme or no host, or one that HTTP does not know.
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
