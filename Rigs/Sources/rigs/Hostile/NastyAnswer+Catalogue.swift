extension NastyAnswer {
    static let catalogue: [NastyAnswer] = lengths + codings + heads + floods + chunks + redirects + events + parts

    private static let ok = "HTTP/1.1 200 OK\r\n"

    private static let lengths: [NastyAnswer] = [
        .bytes(
            "length-beyond-63-bits", ok + "Content-Length: 9223372036854775807\r\n\r\nhello", isBroken: true,
            endsFoundation: true),
        .bytes(
            "length-beyond-64-bits", ok + "Content-Length: 18446744073709551617\r\n\r\nhello", isBroken: true),
        .bytes("length-of-terabytes", ok + "Content-Length: 4000000000000\r\n\r\nhello", isBroken: true),
        .bytes("length-negative", ok + "Content-Length: -5\r\n\r\nhello"),
        .bytes("length-of-letters", ok + "Content-Length: five\r\n\r\nhello"),
        .bytes("length-twice", ok + "Content-Length: 5\r\nContent-Length: 50\r\n\r\nhello"),
        .bytes(
            "length-and-chunks", ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        .bytes("body-cut-off", ok + "Content-Length: 10\r\n\r\nhello", isBroken: true),
        .bytes("204-with-body", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes("304-with-body", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"),
    ]

    private static let codings: [NastyAnswer] = [
        .gzip("gzip-bomb", Gzip.bomb(inflatingTo: 400_000_000)),
        .gzip("gzip-cut-off", Array(Gzip.hello.dropLast(12)), isBroken: true),
        .gzip("gzip-without-check", Array(Gzip.hello.dropLast(8)), isBroken: true),
        .gzip("gzip-garbage", Array("this is no gzip, but a text".utf8), isBroken: true),
        .gzip("gzip-twice", Gzip.hello, coding: "gzip, gzip", isBroken: false),
        .gzip("coding-unknown", Array("hello".utf8), coding: "zstd, br, x-none", isBroken: false),
    ]

    private static let heads: [NastyAnswer] = [
        .bytes("head-cut-off", ok + "Content-Le", isBroken: true, endsFoundation: true),
        .bytes("status-line-cut-off", "HTTP/1.", isBroken: true),
        .bytes("nothing", "", isBroken: true),
        NastyAnswer(name: "reset", isBroken: true) { wire, _ in try await wire.reset() },
        .bytes("status-099", "HTTP/1.1 099 Odd\r\nContent-Length: 5\r\n\r\nhello", isBroken: true),
        .bytes("status-000", "HTTP/1.1 000 Odd\r\nContent-Length: 5\r\n\r\nhello", isBroken: true),
        .bytes("status-999", "HTTP/1.1 999 Odd\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes("status-of-letters", "HTTP/1.1 abc Odd\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes("status-without-reason", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes("version-9", "HTTP/9.9 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes("no-http", "220 smtp.example.com ESMTP ready\r\n", isBroken: false),
        .bytes("http2-preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        .bytes("line-feeds-alone", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
        .bytes(
            "switching-protocols",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: evil\r\nConnection: Upgrade\r\n\r\nhello"),
        .fields("etag-with-cr", "ETag: \"a\rb\"\r\nLast-Modified: a\rb\r\n"),
        .fields("header-without-utf8", "X-Name: \u{FF}\u{FE}\r\n"),
        .fields("header-with-nul", "X-Nul: a\0b\r\n"),
        .fields("header-folded", "X-Folded: a\r\n b\r\n\tc\r\n"),
        .fields("header-without-name", ": nothing\r\n"),
        .fields("header-line-of-1-MB", "X-Long: \(String(repeating: "x", count: 1 << 20))\r\n"),
        .fields("link-of-300-KB", "Link: \(String(repeating: "<>;rel=next,", count: 25_000))\r\n"),
        // The one line is refused by both transports. These come through, and are one header to who reads them.
        .fields(
            "links-of-300-KB",
            String(repeating: "Link: \(String(repeating: "<>;rel=next,", count: 250))</y>;rel=last\r\n", count: 100)),
        .fields("cookies", (0..<3000).map { "Set-Cookie: c\($0)=x; Path=/\r\n" }.joined()),
        .fields(
            "times-of-nonsense",
            "Cache-Control: max-age=99999999999999999999999\r\nAge: -1\r\nExpires: Fri, 99 Foo 99999 99:99:99 GMT\r\nRetry-After: 99999999999999999999\r\n"
        ),
        NastyAnswer(name: "header-bytes") { wire, _ in
            try await wire.send(Array("HTTP/1.1 200 OK\r\nX-Bytes: ".utf8) + [0xC3, 0x28, 0xFF, 0xFE, 0x80])
            try await wire.send("\r\nContent-Length: 5\r\n\r\nhello")
            wire.close()
        },
    ]

    private static let floods: [NastyAnswer] = [
        .fields("20000-header-fields", (0..<20_000).map { "X-\($0): 1\r\n" }.joined()),
        .flood("head-without-end", ok, "X-Flood: 1\r\n"),
        .flood("body-without-end", ok + "\r\n", "hello"),
        .flood("chunks-without-end", ok + "Transfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n"),
        .flood("interim-answers", "", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
        .silence("silence", after: ""),
        .silence("silence-in-head", after: ok + "Content-Length: 5\r\n"),
        .silence("silence-in-body", after: ok + "Content-Length: 5\r\n\r\nhel"),
        .silence("silence-after-continue", after: "HTTP/1.1 100 Continue\r\n\r\n"),
        .drip("drip-of-body", ok + "Content-Length: 1000000\r\n\r\n"),
        .drip("drip-of-head", ok + "X-Drip: "),
    ]

    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    private static let chunks: [NastyAnswer] = [
        .bytes("chunk-of-letters", chunked + "zz\r\nhello\r\n0\r\n\r\n", isBroken: true),
        .bytes("chunk-negative", chunked + "-5\r\nhello\r\n0\r\n\r\n", isBroken: true),
        .bytes("chunk-of-exabytes", chunked + "ffffffffffffffff\r\nhello\r\n", isBroken: true),
        .bytes("chunk-cut-off", chunked + "5\r\nhel", isBroken: true),
        .bytes("chunks-without-last", chunked + "5\r\nhello\r\n", isBroken: true),
        .bytes("chunk-extensions", chunked + "5;\(String(repeating: "a=b;", count: 50_000))\r\nhello\r\n0\r\n\r\n"),
        .bytes(
            "trailers", chunked + "5\r\nhello\r\n0\r\nAuthorization: x\r\nContent-Length: 9\r\n\r\n",
            endsFoundation: true),
    ]

    private static let redirects: [NastyAnswer] = [
        .redirect("redirect-loop", to: "/redirect-loop", isBroken: true),
        .redirect("redirect-to-other", to: "http://OTHER/taken"),
        .redirect("redirect-307-to-other", to: "http://OTHER/taken", status: 307),
        .redirect("redirect-without-scheme", to: "//OTHER/taken"),
        .redirect("redirect-with-user", to: "http://user:password@OTHER/taken"),
        .redirect("redirect-to-file", to: "file:///etc/passwd", isBroken: true),
        .redirect("redirect-to-script", to: "javascript:alert(1)", isBroken: true),
        .redirect("redirect-to-ftp", to: "ftp://OTHER/taken", isBroken: true),
        .redirect("redirect-to-data", to: "data:text/plain,hello", isBroken: true),
        .redirect("redirect-of-100-KB", to: "/\(String(repeating: "a", count: 90_000))", isBroken: true),
        .redirect("redirect-to-nothing", to: ""),
        .redirect("redirect-to-nonsense", to: "http://[::1:80%%/\\"),
        .bytes("redirect-without-location", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
        .bytes("multiple-locations", "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
    ]

    private static let eventHead = ok + "Content-Type: text/event-stream\r\n\r\n"

    private static let events: [NastyAnswer] = [
        .flood("events-of-newlines", eventHead, "\n"),
        .flood("events-of-nothing", eventHead, "data\n\n"),
        .flood("event-line-without-end", eventHead, "data: aaaaaaaaaaaaaa"),
        .flood("event-ids", eventHead, "id: aaaaaaaaaa\n\n"),
        .bytes("events-retry-0", eventHead + "retry: 0\n\ndata: x\n\n"),
        .bytes("events-retry-huge", eventHead + "retry: 99999999999999999999999\ndata: x\n\n"),
        .bytes("events-of-bytes", eventHead + "data: \u{FEFF}\0\u{FFFD}\r\rid: \0\n\n"),
    ]

    private static let parts: [NastyAnswer] = [
        .bytes(
            "part-unasked",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 100-104/200\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes(
            "part-of-nothing",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-4/0\r\nContent-Length: 5\r\n\r\nhello"),
        .bytes(
            "part-beyond",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-99999999999999999999/*\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\nhello"
        ),
        .bytes(
            "part-short",
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/1000000\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\nhello"
        ),
        .bytes("416", "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n"),
    ]
}
