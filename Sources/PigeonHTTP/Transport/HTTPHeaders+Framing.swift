extension HTTPHeaders.Field {
    /// Whether it says how long the body is: the transport knows (RFC 9112, 6).
    var isFraming: Bool { name.isSameHeader(as: "Content-Length") || name.isSameHeader(as: "Transfer-Encoding") }
}

extension HTTPHeaders {
    /// The fields without those that say how long the body is.
    var withoutFraming: HTTPHeaders {
        contains(where: \.isFraming) ? HTTPHeaders(filter { !$0.isFraming }) : self
    }
}
