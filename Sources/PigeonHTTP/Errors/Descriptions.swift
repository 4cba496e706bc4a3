// What printing shows: what was asked of whom, and what came of it. Header values, queries and bodies may be secrets.

extension BasicRequest: CustomStringConvertible {
    /// Method and path, such as `GET /users/1`.
    public var description: String { "\(method.rawValue) \(path.withoutQuery.printable)" }
}

extension MultiPartRequest: CustomStringConvertible {
    /// Method and path, such as `POST /pictures`.
    public var description: String { "\(method.rawValue) \(path.withoutQuery.printable)" }
}

extension TransportRequest: CustomStringConvertible {
    /// Method and address without its query, such as `GET https://example.com/users/1`.
    public var description: String { "\(method.rawValue) \(url.plainDescription)" }
}

extension Response: CustomStringConvertible {
    /// The status, and what was asked.
    public var description: String { "\(statusCode) (\(head.summary))" }
}

extension SuccessResponse: CustomStringConvertible {
    /// The status, and what was asked.
    public var description: String { "\(statusCode) (\(head.summary))" }
}
