public import Foundation

/// Takes events out of bytes, however these are cut into pieces (WHATWG HTML, 9.2.5 and 9.2.6).
struct EventParser {
    /// The newest id of an event that was dispatched: what a new connection begins after.
    private(set) var lastEventID: String
    /// The newest wish of the server how long to wait before connecting again.
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
    ///   - limit: The most bytes of one event.
    ///   - lastEventID: Of the connection before. The events of this one have it until they bring one: so browsers do.
    init(limit: Int, lastEventID: String = "", reconnectionTime: Duration? = nil) {
        self.limit = limit
        self.lastEventID = lastEventID
        self.reconnectionTime = reconnectionTime
        id = lastEventID
    }

    /// Takes in bytes, and gives the events that end in them.
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
            guard !value.isEmpty, value.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return }
            let milliseconds = Double(String(decoding: value, as: UTF8.self)) ?? .infinity
            retry = Duration(untrustedSeconds: milliseconds / 1000)
            reconnectionTime = retry
        default: break  // a comment, whose field has no name, or a field that the standard does not know
        }
    }

    /// Ends an event at a blank line. One without data is none; its id counts all the same.
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
