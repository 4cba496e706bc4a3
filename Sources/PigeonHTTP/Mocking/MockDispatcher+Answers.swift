public import Foundation

extension MockDispatcher {
    /// Answers with a value as JSON. Dates are written as RFC 3339 has them.
    ///
    /// - Throws: What the encoder throws.
    public func setMockData<T: Encodable>(encodable: T) throws {
        mockData = try JSONEncoder.rfc3339.encode(encodable)
    }

    /// Answers with a value as JSON. Dates are written as RFC 3339 has them.
    ///
    /// - Throws: What the encoder throws.
    public func setMockData<T: Encodable>(_ encodable: T) throws {
        try setMockData(encodable: encodable)
    }

    /// Answers with an object of plain values as JSON; `nil` is written as `null`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public func setMockData(jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []) throws {
        mockData = try JSONText.data(of: jsonObject, options: options)
    }

    /// Answers with a text that is JSON. What the encoding cannot express is no data.
    public func setMockData(jsonString: String, encoding: String.Encoding = .utf8) {
        mockData = jsonString.data(using: encoding)
    }

    /// Answers requests by a function: ``MockTransport/answer(_:_:_:)``.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, _ handler: @escaping MockTransport.Handler
    ) {
        transport.answer(method, pattern, handler)
    }

    /// Answers requests one after another: ``MockTransport/answer(_:_:with:then:)``.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, with first: MockAnswer, then others: MockAnswer...
    ) {
        transport.answer(method, pattern, with: [first] + others)
    }
}
