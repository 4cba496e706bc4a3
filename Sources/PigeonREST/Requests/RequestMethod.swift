/// What a server is asked to do with a resource.
public enum RequestMethod: String, CaseIterable, Sendable {
    /// Say what may be done.
    case options = "OPTIONS"
    /// Say what it is.
    case get = "GET"
    /// Say what it is, without the body.
    case head = "HEAD"
    /// Take something new.
    case post = "POST"
    /// Take this in its place.
    case put = "PUT"
    /// Change it in part.
    case patch = "PATCH"
    /// Remove it.
    case delete = "DELETE"
}
