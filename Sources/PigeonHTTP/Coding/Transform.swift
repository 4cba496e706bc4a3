/// Makes a value of what a container holds.
///
/// ```swift
/// url = try container.decode(using: URLTransform(), forKey: .url)
/// ```
public protocol DecodingTransform<JSONSource, ValueDestination> {
    /// What the container holds.
    associatedtype JSONSource: Decodable
    /// What is made of it.
    associatedtype ValueDestination

    /// Makes the value.
    ///
    /// - Parameters:
    ///   - json: What the container holds.
    ///   - codingPath: Where it stands, for errors.
    func from(json: JSONSource, codingPath: [any CodingKey]) throws -> ValueDestination
}

/// Makes what a container is to hold of a value.
public protocol EncodingTransform<ValueSource, JSONDestination> {
    /// What it is made of.
    associatedtype ValueSource
    /// What the container is to hold.
    associatedtype JSONDestination: Encodable

    /// Makes what the container is to hold.
    ///
    /// - Parameters:
    ///   - value: What it is made of.
    ///   - codingPath: Where it will stand, for errors.
    func toJSON(_ value: ValueSource, codingPath: [any CodingKey]) throws -> JSONDestination
}

/// Works in both directions.
public protocol Transform: EncodingTransform, DecodingTransform {}

extension DecodingTransform {
    /// Makes the value, outside of any container.
    public func transform(json: JSONSource) throws -> ValueDestination {
        try from(json: json, codingPath: [])
    }
}

extension EncodingTransform {
    /// Makes what a container is to hold, outside of any.
    public func transform(value: ValueSource) throws -> JSONDestination {
        try toJSON(value, codingPath: [])
    }
}

extension KeyedDecodingContainer {
    /// The value that a transform makes of what stands at a key.
    public func decode<D: DecodingTransform>(using transform: D, forKey key: Key) throws -> D.ValueDestination {
        try transform.from(json: decode(D.JSONSource.self, forKey: key), codingPath: codingPath + [key])
    }

    /// The value that a transform makes of what stands at a key; `nil` where nothing or `null` does.
    public func decodeIfPresent<D: DecodingTransform>(
        using transform: D, forKey key: Key
    ) throws -> D.ValueDestination? {
        guard let json = try decodeIfPresent(D.JSONSource.self, forKey: key) else { return nil }
        return try transform.from(json: json, codingPath: codingPath + [key])
    }
}

extension KeyedEncodingContainer {
    /// Writes what a transform makes of a value.
    public mutating func encode<E: EncodingTransform>(
        _ source: E.ValueSource, forKey key: Key, using transform: E
    ) throws {
        try encode(transform.toJSON(source, codingPath: codingPath + [key]), forKey: key)
    }

    /// Writes what a transform makes of a value, if there is one.
    public mutating func encodeIfPresent<E: EncodingTransform>(
        _ source: E.ValueSource?, forKey key: Key, using transform: E
    ) throws {
        guard let source else { return }
        try encode(source, forKey: key, using: transform)
    }
}
