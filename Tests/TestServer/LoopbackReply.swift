package import Foundation
package import TestSupport

/// The reply of a server to a request: bytes that are sent unchanged, and the steps between them.
///
/// ```swift
/// .ok("hello")
/// .head(200, ["Content-Length": "10"]) + .bytes("hello") + .wait(gate) + .bytes("world")
/// .head(200, ["Content-Length": "10"]) + .bytes("hello") + .close            // a body cut off
/// ```
package struct LoopbackReply: Sendable {
    package enum Step: Sendable {
        case bytes(Data)
        case wait(Gate)
        case pause
        case note(Watched<Int>, Int)
        case close
        case reset
    }

    package var steps: [Step]

    package init(steps: [Step]) {
        self.steps = steps
    }

    /// Never replies.
    package static let silence = LoopbackReply(steps: [])
    /// Closes the connection.
    package static let close = LoopbackReply(steps: [.close])
    /// Resets the TCP connection.
    package static let reset = LoopbackReply(steps: [.reset])

    /// Waits until the gate is opened.
    package static func wait(_ gate: Gate) -> LoopbackReply { LoopbackReply(steps: [.wait(gate)]) }
    /// Waits for a few milliseconds.
    package static let pause = LoopbackReply(steps: [.pause])
    /// Sets a number, which shows the progress of the reply.
    package static func note(_ progress: Watched<Int>, _ number: Int) -> LoopbackReply {
        LoopbackReply(steps: [.note(progress, number)])
    }
    package static func bytes(_ data: Data) -> LoopbackReply { LoopbackReply(steps: [.bytes(data)]) }
    package static func bytes(_ text: String) -> LoopbackReply { .bytes(Data(text.utf8)) }

    /// A status line and the given header fields only.
    package static func head(_ status: Int, _ headers: KeyValuePairs<String, String> = [:]) -> LoopbackReply {
        .head(status, Array(headers))
    }

    package static func head(_ status: Int, _ headers: [(key: String, value: String)]) -> LoopbackReply {
        let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        return .bytes("HTTP/1.1 \(status) Reason\r\n\(lines)\r\n")
    }

    /// A complete response with its length.
    package static func status(
        _ status: Int, _ headers: KeyValuePairs<String, String> = [:], body: Data = Data()
    ) -> LoopbackReply {
        let hasBody = status != 204 && status != 304
        let length = hasBody ? [(key: "Content-Length", value: "\(body.count)")] : []
        return .head(status, Array(headers) + length) + .bytes(hasBody ? body : Data())
    }

    package static func ok(_ text: String, _ headers: KeyValuePairs<String, String> = [:]) -> LoopbackReply {
        .status(200, headers, body: Data(text.utf8))
    }

    package static func ok(_ body: Data) -> LoopbackReply { .status(200, body: body) }

    package static func json(_ text: String, status: Int = 200) -> LoopbackReply {
        .status(status, ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    package static func redirect(_ status: Int = 302, to location: String, body: String = "") -> LoopbackReply {
        .status(status, ["Location": location], body: Data(body.utf8))
    }

    /// A piece of a body in chunked coding (RFC 9112, 7.1).
    package static func chunk(_ text: String) -> LoopbackReply {
        .bytes("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    /// The head of a response in chunked coding.
    package static let chunkedHead = LoopbackReply.head(200, ["Transfer-Encoding": "chunked"])
    /// The end of a body in chunked coding.
    package static let lastChunk = LoopbackReply.bytes("0\r\n\r\n")

    package static func + (one: LoopbackReply, other: LoopbackReply) -> LoopbackReply {
        LoopbackReply(steps: one.steps + other.steps)
    }
}
