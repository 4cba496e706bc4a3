internal import Foundation

enum Redirection {
    /// The header fields that are sent to another origin. They describe the wanted response, and not the sender.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-language",
        "content-type", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        "user-agent",
    ]

    static func isHarmless(_ name: String) -> Bool { harmless.contains(name.lowercased()) }

    /// True if a header field identifies the sender.
    static func isCredential(_ name: String) -> Bool {
        ["authorization", "cookie", "proxy-authorization"].contains(name.lowercased())
    }

    /// Returns the request to send next, or `nil` if the response is no redirect.
    ///
    /// RFC 9110, 15.4: 303 changes the method to GET, and so do 301 and 302 after a POST, as in all clients. Others
    /// keep method and body.
    static func request(
        after request: TransportRequest, status: Int, headers: HTTPHeaders
    ) throws(HTTPError) -> TransportRequest? {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers["Location"] else { return nil }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, url.isHTTP else {
            throw .redirection("the server redirects to an address that is not http or https")
        }
        var next = request
        next.url = url
        let asksByGet = status == 303 ? request.method != .head : status <= 302 && request.method == .post
        if asksByGet, request.method != .get {
            next.method = .get
            next.body = nil
            next.headers.removeAll { $0.lowercased().hasPrefix("content-") }
        }
        if url.origin != request.url.origin { next.headers.removeAll { !isHarmless($0) } }
        return next
    }
}

extension URL {
    var isHTTP: Bool {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
        return host(percentEncoded: true)?.isEmpty == false
    }
}

extension HTTPHeaders {
    mutating func removeAll(where isRemoved: (String) -> Bool) {
        self = HTTPHeaders(filter { !isRemoved($0.name) })
    }
}
