/// An answer that a server should not give.
struct NastyAnswer: Sendable {
    let name: String
    /// True if no client may take it for a whole answer.
    var isBroken = false
    /// True if FoundationNetworking ends the process for it. Nothing can be done about that in Pigeon, so it is left out over
    /// `URLSession`, unless `PIGEON_RIGS_FOUNDATION=1`. Known are: a connection that is closed within the head, a length
    /// beyond 2⁶³ − 513, a trailer field.
    var endsFoundation = false
    let script: @Sendable (_ wire: RawWire, _ otherPort: Int) async throws -> Void

    /// Bytes, and then the end of the connection.
    static func bytes(
        _ name: String, _ text: String, isBroken: Bool = false, endsFoundation: Bool = false
    ) -> NastyAnswer {
        NastyAnswer(name: name, isBroken: isBroken, endsFoundation: endsFoundation) { wire, _ in
            try await wire.send(text)
            wire.close()
        }
    }

    /// Header fields of an answer with the body "hello", and then the end of the connection.
    static func fields(_ name: String, _ fields: String, isBroken: Bool = false) -> NastyAnswer {
        .bytes(name, "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\nhello", isBroken: isBroken)
    }

    /// Bytes, and then the same bytes again and again.
    static func flood(_ name: String, _ start: String, _ rest: String) -> NastyAnswer {
        let many = String(repeating: rest, count: max(1, 16_384 / rest.utf8.count))
        return NastyAnswer(name: name, isBroken: true) { wire, _ in
            try await wire.send(start)
            try await wire.sendForEver(many)
        }
    }

    /// Bytes, and then nothing for ever.
    static func silence(_ name: String, after text: String) -> NastyAnswer {
        NastyAnswer(name: name, isBroken: true) { wire, _ in
            if !text.isEmpty { try await wire.send(text) }
            try await wire.beSilent()
        }
    }

    /// A body in gzip coding.
    static func gzip(
        _ name: String, _ body: [UInt8], coding: String = "gzip", isBroken: Bool = true
    ) -> NastyAnswer {
        NastyAnswer(name: name, isBroken: isBroken) { wire, _ in
            try await wire.send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
            try await wire.send(body)
            wire.close()
        }
    }

    /// A redirect. `OTHER` in the location stands for the origin of another server.
    static func redirect(_ name: String, to location: String, status: Int = 302, isBroken: Bool = false) -> NastyAnswer
    {
        NastyAnswer(name: name, isBroken: isBroken) { wire, otherPort in
            let location = location.replacing("OTHER", with: "127.0.0.1:\(otherPort)")
            try await wire.send("HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
        }
    }

    /// One byte at a time, for ever.
    static func drip(_ name: String, _ start: String) -> NastyAnswer {
        NastyAnswer(name: name, isBroken: true) { wire, _ in
            try await wire.send(start)
            while true {
                try await wire.send("x")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
