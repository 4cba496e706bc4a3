public import Foundation

/// Extracts events from bytes, however they are cut into pieces (WHATWG HTML, 9.2.5 and 9.2.6).
struct EventParser {
    /// The newest id of a dispatched event, after which a new connection begins.
    private(set) var lastEventID: String
    private(set) var reconnectionTime: Duration?

    private let limit: Int
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var isAfterCarriageReturn = false
    private var data: [UInt8] = []
    private var event = ""
    private var id: String
    private var retry: Duration?

    /// - Parameters:
    ///   - limit: The largest size of one event, in bytes.
    ///   - lastEventID: The id from the connection before. Events of this connection have it until the server sends
    ///     another one, as in browsers.
    init(limit: Int, lastEventID: String = "", reconnectionTime: Duration? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
        self.reconnectionTime = reconnectionTime
        id = lastEventID
    }

    /// Takes bytes, and returns the events that end in them.
    mutating func events(in bytes: Data) throws(HTTPError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for byte in bytes {
            let endsCRLF = isAfterCarriageReturn && byte == .lineFeed
            isAfterCarriageReturn = byte == .carriageReturn
            guard !endsCRLF else { continue }
            guard byte == .lineFeed || byte == .carriageReturn else {
                guard line.count + data.count < limit else { throw .bodyTooLarge(limit: limit) }
                line.append(byte)
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        take(value, of: line[..<colon])
        return nil
    }

    private mutating func take(_ value: ArraySlice<UInt8>, of field: ArraySlice<UInt8>) {
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            data += value
            data.append(.lineFeed)
        case "event": event = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry":
            guard !value.isEmpty, value.allSatisfy(\.isDigit) else { return }
            let milliseconds = Double(String(decoding: value, as: UTF8.self)) ?? .infinity
            retry = Duration(untrustedSeconds: milliseconds / 1000)
            reconnectionTime = retry
        default: break  // a comment, whose field has no name, or a field that the standard does not know
        }
    }

    /// Ends an event at a blank line. Without data it is no event, but its id still counts.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data.removeAll(keepingCapacity: true)
            event = ""
            retry = nil
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            event: event.isEmpty ? "message" : event, data: String(decoding: data.dropLast(), as: UTF8.self), id: id,
            retry: retry)
    }
}

extension UInt8 {
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let carriageReturn: UInt8 = 0x0D
}

/// One event of an ``EventStream``.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type. `message` if the server names none.
    public var event: String
    /// The data, its lines joined by line feeds.
    public var data: String
    /// The newest id that the server sent, with this event or an earlier one. Empty if there was none.
    public var id: String
    /// The time that this event asks the client to wait before it reconnects.
    public var retry: Duration?

    /// Creates an event.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }

    /// Decodes the data as JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the data. The default reads dates as in RFC 3339.
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
