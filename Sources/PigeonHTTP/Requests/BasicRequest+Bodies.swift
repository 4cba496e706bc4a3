public import Foundation

extension BasicRequest {
    /// Sends a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - dateEncodingStrategy: How dates are written. The default is what ``ResponseInterface`` reads by default.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        encodable: T, dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .rfc3339
    ) throws(RequestDefect) {
        try setJSONBody(encodable, dateEncodingStrategy: dateEncodingStrategy)
    }

    /// Sends a value as JSON.
    ///
    /// - Parameters:
    ///   - encodable: The value.
    ///   - dateEncodingStrategy: How dates are written. The default is what ``ResponseInterface`` reads by default.
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(
        _ encodable: T, dateEncodingStrategy: JSONEncoder.DateEncodingStrategy = .rfc3339
    ) throws(RequestDefect) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dateEncodingStrategy
        try setJSONBody(encodable, encoder: encoder)
    }

    /// Sends a value as JSON, by an encoder of one's own.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names the place in the value.
    public mutating func setJSONBody<T: Encodable>(_ encodable: T, encoder: JSONEncoder) throws(RequestDefect) {
        httpBody = try JSONText.data(encoding: encodable, by: encoder)
        ensureJSONContentType()
    }

    /// Sends a text. No header is set.
    ///
    /// A text that the encoding cannot express becomes the request's ``defect``, which is thrown in place of sending.
    public mutating func setHTTPBody(string: String, encoding: String.Encoding = .utf8) {
        httpBody = string.data(using: encoding)
        guard body == nil else { return }
        defect = .invalidBody(reason: "the text cannot be written in the encoding that was asked for (\(encoding))")
    }

    /// Sends a text that is JSON.
    ///
    /// A text that the encoding cannot express becomes the request's ``defect``, which is thrown in place of sending.
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

    /// Says that the body is JSON, unless a `Content-Type` is there, however it is written.
    public mutating func ensureJSONContentType() {
        guard headers.value(of: "Content-Type") == nil else { return }
        headers["Content-Type"] = "application/json"
    }
}
