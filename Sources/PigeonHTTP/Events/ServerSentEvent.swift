public import Foundation

/// One event of an ``EventStream``.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` where the server names none.
    public var event: String
    /// The data, its lines joined by line feeds.
    public var data: String
    /// The newest id that the server gave, with this event or an earlier one; empty when there was none.
    public var id: String
    /// How long the server asked with this event to wait before connecting again.
    public var retry: Duration?

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }

    /// The data as JSON.
    ///
    /// - Parameters:
    ///   - type: What it is.
    ///   - decoder: Reads it. By default one that reads dates as RFC 3339 has them.
    /// - Throws: ``SerializationError/failedToDecodeResponseData(cause:)``
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> Value {
        do {
            return try (decoder ?? .rfc3339).decode(type, from: Data(data.utf8))
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }
}
