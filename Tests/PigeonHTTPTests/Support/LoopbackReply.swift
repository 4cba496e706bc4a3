import Foundation

/// What the server does with a request: bytes as they are, and what comes between them.
///
/// ```swift
/// .ok("hello")
/// .head(200, ["Content-Length": "10"]) + .bytes("hello") + .wait(latch) + .bytes("world")
/// .head(200, ["Content-Length": "10"]) + .bytes("hello") + .close            // a body cut off
/// ```
struct LoopbackReply: Sendable {
    enum Step: Sendable {
        case bytes(Data)
        case wait(Latch)
        case pause
        case note(Watched<Int>, Int)
        case close
        case reset
    }

    var steps: [Step]

    /// Nothing, for ever.
    static let silence = LoopbackReply(steps: [])
    /// The end of the connection.
    static let close = LoopbackReply(steps: [.close])
    /// The end of the connection, by a TCP reset.
    static let reset = LoopbackReply(steps: [.reset])

    /// Nothing until the latch is opened.
    static func wait(_ latch: Latch) -> LoopbackReply { LoopbackReply(steps: [.wait(latch)]) }
    /// A few milliseconds of nothing.
    static let pause = LoopbackReply(steps: [.pause])
    /// Sets a number, to show how far the reply has come.
    static func note(_ progress: Watched<Int>, _ number: Int) -> LoopbackReply {
        LoopbackReply(steps: [.note(progress, number)])
    }
    static func bytes(_ data: Data) -> LoopbackReply { LoopbackReply(steps: [.bytes(data)]) }
    static func bytes(_ text: String) -> LoopbackReply { .bytes(Data(text.utf8)) }

    /// A status line and header fields, and nothing that was not asked for.
    static func head(_ status: Int, _ headers: KeyValuePairs<String, String> = [:]) -> LoopbackReply {
        .head(status, Array(headers))
    }

    static func head(_ status: Int, _ headers: [(key: String, value: String)]) -> LoopbackReply {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        return .bytes("HTTP/1.1 \(status) Reason\r\n\(lines)\r\n")
    }

    /// A whole answer with its length.
    static func status(
        _ status: Int, _ headers: KeyValuePairs<String, String> = [:], body: Data = Data()
    ) -> LoopbackReply {
        let hasBody = status != 204 && status != 304
        let length = hasBody ? [(key: "Content-Length", value: "\(body.count)")] : []
        return .head(status, Array(headers) + length) + .bytes(hasBody ? body : Data())
    }

    static func ok(_ text: String, _ headers: KeyValuePairs<String, String> = [:]) -> LoopbackReply {
        .status(200, headers, body: Data(text.utf8))
    }

    static func ok(_ body: Data) -> LoopbackReply { .status(200, body: body) }

    static func json(_ text: String, status: Int = 200) -> LoopbackReply {
        .status(status, ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    static func redirect(_ status: Int = 302, to location: String, body: String = "") -> LoopbackReply {
        .status(status, ["Location": location], body: Data(body.utf8))
    }

    /// A piece of a body in chunked coding (RFC 9112, 7.1).
    static func chunk(_ text: String) -> LoopbackReply {
        .bytes("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    /// The head of an answer in chunked coding.
    static let chunkedHead = LoopbackReply.head(200, ["Transfer-Encoding": "chunked"])
    /// The end of a body in chunked coding.
    static let lastChunk = LoopbackReply.bytes("0\r\n\r\n")

    static func + (one: LoopbackReply, other: LoopbackReply) -> LoopbackReply {
        LoopbackReply(steps: one.steps + other.steps)
    }
}
