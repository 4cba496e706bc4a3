extension Entity: CustomStringConvertible {
    /// What kind of content it is. Neither the content nor the headers, which may be secrets.
    public var description: String { "Entity of \(type(of: content as Any)), \(contentType)" }
}
