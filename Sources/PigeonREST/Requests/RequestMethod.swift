/// What a server is asked to do with a resource. The raw values are the names in small letters: `"get"`.
public enum RequestMethod: String, CaseIterable, Sendable {
    /// Say what may be done.
    case options
    /// Say what it is.
    case get
    /// Say what it is, without the body.
    case head
    /// Take something new.
    case post
    /// Take this in its place.
    case put
    /// Change it in part.
    case patch
    /// Remove it.
    case delete
}

extension RequestMethod {
    /// The name that is sent: `"GET"`.
    var httpName: String { rawValue.uppercased() }
}
