extension BasicRequest {
    /// Asks for an answer only if it is another than the one that came with these validators: the server answers
    /// ``StatusCode/notModified`` otherwise (RFC 9110, 13.1).
    ///
    /// - Parameter validators: What came with the copy at hand. Replaces what was set before; empty ones remove it.
    public mutating func setValidators(_ validators: FetchValidators) {
        headers.set(validators.eTag, for: "If-None-Match")
        headers.set(validators.lastModified, for: "If-Modified-Since")
    }
}
