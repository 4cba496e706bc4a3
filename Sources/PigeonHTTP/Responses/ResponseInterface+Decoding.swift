public import Foundation

extension ResponseInterface where T == Data? {
    /// The bytes of the body.
    ///
    /// - Throws: ``SerializationError/unexpectedEmptyResponse`` when there are none, as after a 204.
    public func unwrapData() throws(SerializationError) -> Data {
        guard let data, !data.isEmpty else { throw .unexpectedEmptyResponse }
        return data
    }

    /// The body as text.
    ///
    /// - Parameter encoding: By default what `Content-Type` says, or else UTF-8.
    /// - Throws: ``SerializationError``: no body, a character set that is not known, or bytes that are no text in it.
    public func decodeString(encoding: String.Encoding? = nil) throws(SerializationError) -> String {
        let data = try unwrapData()
        let encoding = if let encoding { encoding } else { try headers["Content-Type"].charset }
        guard let text = String(data: data, encoding: encoding) else { throw .failedToDecodeResponseData(cause: nil) }
        return text
    }

    /// The body as `JSONSerialization` reads it.
    ///
    /// - Throws: ``SerializationError``: no body, or bytes that are no JSON.
    public func decodeJSONObject(
        options: JSONSerialization.ReadingOptions = .mutableContainers
    ) throws(SerializationError) -> Any {
        let data = try unwrapData()
        do {
            return try JSONSerialization.jsonObject(with: data, options: options)
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }

    /// The value that the body, which is JSON, stands for. Dates are read as RFC 3339 has them.
    ///
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(_ type: D.Type) throws(SerializationError) -> D {
        try decode(type, decoder: .rfc3339)
    }

    /// The value that the body, which is JSON, stands for.
    ///
    /// - Parameters:
    ///   - type: What it stands for.
    ///   - dateDecodingStrategy: How dates are written.
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(
        _ type: D.Type, dateDecodingStrategy: JSONDecoder.DateDecodingStrategy
    ) throws(SerializationError) -> D {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        return try decode(type, decoder: decoder)
    }

    /// The value that the body, which is JSON, stands for, by a decoder of one's own.
    ///
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(_ type: D.Type, decoder: JSONDecoder) throws(SerializationError) -> D {
        let data = try unwrapData()
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }

    /// The value that the body, which is JSON, stands for; `nil` for a 204, an empty body and `null`. Dates are read as
    /// RFC 3339 has them.
    ///
    /// - Throws: ``SerializationError`` for a body that does not stand for such a value.
    public func decodeIfPresent<D: Decodable>(_ type: D.Type) throws(SerializationError) -> D? {
        try decodeIfPresent(type, decoder: .rfc3339)
    }

    /// The value that the body, which is JSON, stands for, by a decoder of one's own; `nil` for a 204, an empty body and
    /// `null`.
    ///
    /// - Throws: ``SerializationError`` for a body that does not stand for such a value.
    public func decodeIfPresent<D: Decodable>(
        _ type: D.Type, decoder: JSONDecoder
    ) throws(SerializationError) -> D? {
        guard statusCode != .noContent, data?.isEmpty == false else { return nil }
        return try decode(D?.self, decoder: decoder)
    }
}

extension JSONDecoder {
    /// Reads dates as RFC 3339 has them. Shared, because making one costs as much as reading a small object.
    package static let rfc3339 = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        return decoder
    }()
}
