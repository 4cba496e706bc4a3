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

    /// Sends a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - encoder: Writes the value. By default one that writes dates as RFC 3339 has them.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        encodable: T, encoder: JSONEncoder? = nil
    ) throws(RequestDefect) {
        try setJSONBody(encodable, encoder: encoder)
    }

    /// Sends a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - encoder: Writes the value. By default one that writes dates as RFC 3339 has them.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        _ encodable: T, encoder: JSONEncoder? = nil
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(encoding: encodable, by: encoder ?? .rfc3339)
        ensureJSONContentType()
    }

    /// Sends a text. No header is set. A text that the encoding cannot express is no body.
    public mutating func setHTTPBody(string: String, encoding: String.Encoding = .utf8) {
        httpBody = string.data(using: encoding)
    }

    /// Sends a text that is JSON. A text that the encoding cannot express is no body.
    public mutating func setJSONBody(string: String, encoding: String.Encoding = .utf8) {
        setHTTPBody(string: string, encoding: encoding)
        ensureJSONContentType()
    }

    /// Sends an object of plain values as JSON; `nil` is written as `null`. No header is set.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public mutating func setHTTPBody(
        jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(of: jsonObject, options: options)
    }

    /// Sends an object of plain values as JSON; `nil` is written as `null`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public mutating func setJSONBody(
        jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        try setHTTPBody(jsonObject: jsonObject, options: options)
        ensureJSONContentType()
    }

    /// Sends a list of objects of plain values as JSON; `nil` is written as `null`. No header is set.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public mutating func setHTTPBody(
        jsonArray: [[String: Any?]], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        httpBody = try JSONText.data(of: jsonArray, options: options)
    }

    /// Sends a list of objects of plain values as JSON; `nil` is written as `null`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public mutating func setJSONBody(
        jsonArray: [[String: Any?]], options: JSONSerialization.WritingOptions = []
    ) throws(RequestDefect) {
        try setHTTPBody(jsonArray: jsonArray, options: options)
        ensureJSONContentType()
    }

    /// Says that the body is JSON, unless the request has a `Content-Type`.
    public mutating func ensureJSONContentType() {
        guard value(forHTTPHeaderField: "Content-Type") == nil else { return }
        setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
}

extension BasicRequest {
    /// Sends a value as JSON, by an encoder of one's own.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(encodable: T, encoder: JSONEncoder) throws(RequestDefect) {
        try setJSONBody(encodable, encoder: encoder)
    }
}
