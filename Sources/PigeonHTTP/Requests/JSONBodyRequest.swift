public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A request whose body can be set as JSON: ``BasicRequest`` and Foundation's `URLRequest`.
public protocol JSONBodyRequest {
    /// The bytes to send.
    var httpBody: Data? { get set }

    /// Sets the body to a text, and leaves the headers alone.
    mutating func setHTTPBody(string: String, encoding: String.Encoding)

    /// Sets `Content-Type` to JSON, unless the request has a `Content-Type`.
    mutating func ensureJSONContentType()
}

extension JSONBodyRequest {
    /// Sets the body to a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - encoder: Encodes the value. The default writes dates as in RFC 3339.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        encodable: T, encoder: JSONEncoder? = nil
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(encoding: encodable, by: encoder ?? .rfc3339)
        ensureJSONContentType()
    }

    /// Sets the body to a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - encoder: Encodes the value. The default writes dates as in RFC 3339.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the place in the value.
    public mutating func setJSONBody<T: Encodable>(_ encodable: T, encoder: JSONEncoder? = nil) throws(RequestDefect) {
        try setJSONBody(encodable: encodable, encoder: encoder)
    }

    /// Sets the body to a text that is JSON.
    public mutating func setJSONBody(string: String, encoding: String.Encoding = .utf8) {
        setHTTPBody(string: string, encoding: encoding)
        ensureJSONContentType()
    }

    /// Sets the body to an object of plain values as JSON, with `null` for `nil`. Leaves the headers alone.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the value that JSON cannot express, and its
    ///   place.
    public mutating func setHTTPBody(
        jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(of: jsonObject, options: options)
    }

    /// Sets the body to an object of plain values as JSON, with `null` for `nil`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the value that JSON cannot express, and its
    ///   place.
    public mutating func setJSONBody(
        jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        try setHTTPBody(jsonObject: jsonObject, options: options)
        ensureJSONContentType()
    }

    /// Sets the body to an array of objects of plain values as JSON, with `null` for `nil`. Leaves the headers alone.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the value that JSON cannot express, and its
    ///   place.
    public mutating func setHTTPBody(
        jsonArray: [[String: Any?]], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(of: jsonArray, options: options)
    }

    /// Sets the body to an array of objects of plain values as JSON, with `null` for `nil`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the value that JSON cannot express, and its
    ///   place.
    public mutating func setJSONBody(
        jsonArray: [[String: Any?]], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        try setHTTPBody(jsonArray: jsonArray, options: options)
        ensureJSONContentType()
    }
}

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
