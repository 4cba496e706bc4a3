/// Creates a value from a container's value.
///
/// ```swift
/// url = try container.decode(using: URLTransform(), forKey: .url)
/// ```
public protocol DecodingTransform<JSONSource, ValueDestination> {
    /// The type of the container's value.
    associatedtype JSONSource: Decodable
    /// The type of the created value.
    associatedtype ValueDestination

    /// Creates the value.
    ///
    /// - Parameters:
    ///   - json: The container's value.
    ///   - codingPath: The path of the container's value, for errors.
    func from(json: JSONSource, codingPath: [any CodingKey]) throws -> ValueDestination
}

/// Creates a container's value from a value.
public protocol EncodingTransform<ValueSource, JSONDestination> {
    /// The type of the value.
    associatedtype ValueSource
    /// The type of the container's value.
    associatedtype JSONDestination: Encodable

    /// Creates the container's value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - codingPath: The path of the container's value, for errors.
    func toJSON(_ value: ValueSource, codingPath: [any CodingKey]) throws -> JSONDestination
}

/// Converts in both directions.
public protocol Transform: EncodingTransform, DecodingTransform {}

extension DecodingTransform {
    /// Creates the value, outside of a container.
    public func transform(json: JSONSource) throws -> ValueDestination {
        try from(json: json, codingPath: [])
    }
}

extension EncodingTransform {
    /// Creates the container's value, outside of a container.
    public func transform(value: ValueSource) throws -> JSONDestination {
        try toJSON(value, codingPath: [])
    }
}

extension KeyedDecodingContainer {
    /// Decodes the value at a key, and transforms it.
    public func decode<D: DecodingTransform>(using transform: D, forKey key: Key) throws -> D.ValueDestination {
        try transform.from(json: decode(D.JSONSource.self, forKey: key), codingPath: codingPath + [key])
    }

    /// Decodes the value at a key, and transforms it. Returns `nil` if the key is missing or its value is `null`.
    public func decodeIfPresent<D: DecodingTransform>(
        using transform: D, forKey key: Key
    ) throws -> D.ValueDestination? {
        guard let json = try decodeIfPresent(D.JSONSource.self, forKey: key) else { return nil }
        return try transform.from(json: json, codingPath: codingPath + [key])
    }
}

extension KeyedEncodingContainer {
    /// Transforms a value, and encodes the result.
    public mutating func encode<E: EncodingTransform>(
        _ source: E.ValueSource, forKey key: Key, using transform: E
    ) throws {
        try encode(transform.toJSON(source, codingPath: codingPath + [key]), forKey: key)
    }

    /// Transforms a value if there is one, and encodes the result.
    public mutating func encodeIfPresent<E: EncodingTransform>(
        _ source: E.ValueSource?, forKey key: Key, using transform: E
    ) throws {
        guard let source else { return }
        try encode(source, forKey: key, using: transform)
    }
}
