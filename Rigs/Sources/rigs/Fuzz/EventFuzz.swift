internal import Foundation
internal import PigeonHTTP

/// Server-sent events, against a reading that has nothing in common with the library's: line by line, of the whole text.
enum EventFuzz {
    private static let pieces = [
        "data", "data:", "data: ", "event:", "event: ", "id:", "id: ", "retry:", "retry: ", ":", " ", "\n", "\n",
        "\n\n", "\r",
        "\r\n", "\r\n\r\n", "a", "b", "hello", "1", "0", "100", "x y", "ü", "datax:", "\u{FEFF}", "\0",
    ]

    static func check(_ random: inout SeededRandom) async throws -> String? {
        var bytes = Array(random.text(of: pieces, count: 0..<80).utf8)
        if random.chance(4), !bytes.isEmpty { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
        let expected = naiveEvents(bytes)
        for pieces in [[Data(bytes)], random.cut(bytes)] {
            let found = try await events(in: pieces)
            if found != expected || isSabotaged && !expected.isEmpty {
                return "\(bytes.debugText) in \(pieces.count) pieces: \(found) in place of \(expected)"
            }
        }
        return nil
    }

    private static func events(in pieces: [Data]) async throws -> [ServerSentEvent] {
        let mock = MockTransport()
        mock.answer(.get, "/events", with: .pieces(pieces, headers: ["Content-Type": "text/event-stream"]))
        var events: [ServerSentEvent] = []
        for try await event in try dispatcher(over: mock).events(from: .get("/events")) { events.append(event) }
        return events
    }

    private static func naiveEvents(_ bytes: [UInt8]) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var (data, name, id): ([[UInt8]], String, String) = ([], "", "")
        var retry: Duration?
        for line in lines(of: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes) {
            guard !line.isEmpty else {
                if !data.isEmpty {
                    let text = String(decoding: Array(data.joined(separator: [0x0A])), as: UTF8.self)
                    events.append(
                        ServerSentEvent(event: name.isEmpty ? "message" : name, data: text, id: id, retry: retry))
                }
                (data, name, retry) = ([], "", nil)
                continue
            }
            let halves = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            var value = halves.count > 1 ? Array(halves[1]) : []
            if value.first == UInt8(ascii: " ") { value.removeFirst() }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: halves[0], as: UTF8.self) {
            case "data": data.append(value)
            case "event": name = text
            case "id": if !value.contains(0) { id = text }
            case "retry":
                if text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text) {
                    retry = .milliseconds(number)
                }
            default: break
            }
        }
        return events
    }

    /// The lines that have an end. The last one counts only if it has.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if byte == 0x0A, place > 0, bytes[place - 1] == 0x0D { continue }
            guard byte == 0x0A || byte == 0x0D else {
                line.append(byte)
                continue
            }
            lines.append(line)
            line = []
        }
        return lines
    }
}

/// A dispatcher whose answers are made up.
func dispatcher(over mock: MockTransport, policy: HTTPPolicy = HTTPPolicy(), clock: any QueryClock = SystemClock())
    throws -> NetworkDispatcher
{
    guard let url = URL(string: "https://rigs.test") else { throw URLError(.badURL) }
    return NetworkDispatcher(baseURL: url, transport: mock, policy: policy, clock: clock)
}

extension [UInt8] {
    /// The bytes as a text that shows each of them.
    var debugText: String { String(decoding: self, as: UTF8.self).debugDescription }
}
