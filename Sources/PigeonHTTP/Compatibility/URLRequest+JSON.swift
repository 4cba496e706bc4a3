public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLRequest {
    /// Creates a request with a method.
    public init(url: URL, method: HTTPMethod) {
        self.init(url: url)
        httpMethod = method.rawValue
    }
}

extension URLRequest: JSONBodyRequest {
    /// Sets the body to a text, and leaves the headers alone. A text that the encoding cannot express gives no body.
    public mutating func setHTTPBody(string: String, encoding: String.Encoding = .utf8) {
        httpBody = string.data(using: encoding)
    }

    /// Sets `Content-Type` to JSON, unless the request has a `Content-Type`.
    public mutating func ensureJSONContentType() {
        guard value(forHTTPHeaderField: "Content-Type") == nil else { return }
        setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
}
