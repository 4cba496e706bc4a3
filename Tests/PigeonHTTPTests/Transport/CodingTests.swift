import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers of all methods, statuses, codings and framings, each sent byte for byte.
@Suite("Coded bodies, and answers without one", .timeLimit(.minutes(5)))
struct CodingTests {
    @Test(
        "each answer is what RFC 9110 and 9112 say, or an error that names its coding", .rule("D14", "K23", "K24"),
        arguments: TransportKind.allCases)
    func everything(kind: TransportKind) async throws {
        let answers = CodedAnswer.all
        try await withLoopback { request in
            let index = request.headers["X-Answer"].flatMap { Int($0) } ?? 0
            return answers[index].reply
        } test: { server in
            let transport = kind.make()
            #if PIGEON_TSAN
                // Each kind of coding, framing, method and status, but not all with all: the sanitizer makes them ten times as slow.
                let indices = stride(from: 0, to: answers.count, by: 7)
            #else
                let indices = answers.indices
            #endif
            await withTaskGroup { group in
                let perTask = 8
                for first in 0..<perTask {
                    group.addTask {
                        for (number, index) in indices.enumerated() where number % perTask == first {
                            await Self.ask(answers[index], at: index, of: server, over: transport, kind)
                        }
                    }
                }
            }
        }
    }

    private static func ask(
        _ answer: CodedAnswer, at index: Int, of server: LoopbackServer, over transport: any HTTPTransport,
        _ kind: TransportKind
    ) async {
        #if !canImport(FoundationNetworking)
            // Apple's systems decide on their own which codings they decode, and hand out all others.
            if kind == .urlSession, !answer.isDecodable { return }
        #endif
        let request = TransportRequest(
            method: answer.method, url: server.url(), headers: ["X-Answer": "\(index)"], timeout: .seconds(60))
        let whole: Result<String, HTTPError>
        do throws(HTTPError) {
            whole = .success(try await transport.send(request, limit: nil, report: nil).text)
        } catch {
            whole = .failure(error)
        }
        answer.check(whole, of: kind, "whole")
        do {
            let body = try await transport.stream(request, report: nil).body.collected()
            answer.check(.success(String(decoding: body, as: UTF8.self)), of: kind, "streamed")
        } catch let error as HTTPError {
            answer.check(.failure(error), of: kind, "streamed")
        } catch {
            Issue.record(error)
        }
    }

    @Test(
        "an answer without a body ends with its head, whatever its fields say, and the connection is used again",
        .rule("D14", "K23"),
        arguments: TransportKind.allCases)
    func withoutBody(kind: TransportKind) async throws {
        try await withLoopback { request in
            switch request.path {
            case "/head": .head(200, ["Content-Encoding": "gzip", "Content-Length": "41"])
            case "/304": .head(304, ["Content-Encoding": "gzip", "ETag": "\"1\""])
            case "/204": .head(204, ["Content-Encoding": "br"])
            default: .head(202, ["Content-Encoding": "gzip", "Content-Length": "0"])
            }
        } test: { server in
            let transport = kind.make()
            let asked: [(HTTPMethod, String, Int)] = [
                (.head, "/head", 200), (.get, "/304", 304), (.get, "/204", 204), (.post, "/202", 202),
            ]
            for (method, path, status) in asked {
                let request = TransportRequest(method: method, url: server.url(path))
                let answer = try await transport.send(request, limit: nil, report: nil)
                #expect(answer.status == status)
                #expect(answer.body.isEmpty)
                #expect(answer.headers["Content-Encoding"] != nil)
            }
            #expect(server.connectionCount == 1)
        }
    }

    #if AsyncHTTPClient
        @Test(
            "what cannot be decoded is an error whose text names the coding and the reason", .rule("D14", "K24", "K25"),
            arguments: [
                (UndecodableBody.brotli, "\"br\", which this transport cannot decode"),
                (.gzipTwice, "\"gzip, gzip\", which this transport cannot decode"),
                (.twoMembers, "as \"gzip\": more bytes follow its end"),
                (.padded, "as \"gzip\": more bytes follow its end"),
                (.cutOff, "as \"gzip\": it ends too early"), (.noGzip, "as \"gzip\": its bytes are not in the format"),
                (.rawDeflate, "as \"deflate\": its bytes are not in the format"),
            ])
        func undecodable(body: UndecodableBody, text: String) async throws {
            try await withLoopback { _ in
                .status(200, ["Content-Encoding": body.coding], body: body.bytes)
            } test: { server in
                let transport = TransportKind.asyncHTTPClient.make()
                await #expect {
                    _ = try await transport.get(server.url())
                } throws: { error in
                    guard case HTTPError.transport(let failure) = error else { return false }
                    return failure.code == .cannotDecodeContentData && "\(error)".contains(text)
                        && !error.userMessage.contains("URLError")
                }
            }
        }
    #endif

    #if AsyncHTTPClient
        @Test(
            "a head that cannot be read is a bad answer, and the text names what the parser found", .rule("K25"),
            arguments: [
                "no HTTP at all\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 099 Odd\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            ])
        func unreadable(head: String) async throws {
            try await withLoopback { _ in
                .bytes(head) + .close
            } test: { server in
                let transport = TransportKind.asyncHTTPClient.make()
                await #expect {
                    _ = try await transport.get(server.url())
                } throws: { error in
                    let text = "\(error)"
                    return text.hasPrefix("no whole answer came: bad answer: HTTPParserError.")
                        || text.contains("\"Content-Length\" of the response is not a length")
                }
            }
        }
    #endif

    #if canImport(FoundationNetworking)
        @Test(
            "over URLSession on Linux, a coding that was asked for is decoded, or is an error that says so",
            .rule("K24"))
        func askedFor() async throws {
            let answers = CodedAnswer.all.filter { $0.method == .get && $0.status == 200 && $0.framing == .length }
            for answer in answers {
                try await withLoopback { _ in
                    answer.reply
                } test: { server in
                    let request = TransportRequest(
                        method: .get, url: server.url(), headers: ["Accept-Encoding": "gzip, br"], timeout: .seconds(60)
                    )
                    do {
                        let text = try await TransportKind.urlSession.make().send(request, limit: nil, report: nil).text
                        #expect(text == CodedAnswer.text, "\(answer)")
                    } catch HTTPError.transport(let error) {
                        #expect(error.code == .cannotDecodeContentData, "\(answer)")
                        #expect(
                            "\(HTTPError.transport(error))".contains(
                                "decoded as \"\(answer.codings.joined(separator: ", "))\""))
                        #expect(!answer.isDecodable, "\(answer)")
                    }
                }
            }
        }
    #endif
}

/// A body that AsyncHTTPClient's decompressor cannot read.
enum UndecodableBody: CaseIterable, Sendable {
    case brotli, gzipTwice, twoMembers, padded, cutOff, noGzip, rawDeflate

    var coding: String {
        switch self {
        case .brotli: "br"
        case .gzipTwice: "gzip, gzip"
        case .rawDeflate: "deflate"
        case .twoMembers, .padded, .cutOff, .noGzip: "gzip"
        }
    }

    var bytes: Data {
        switch self {
        case .brotli: Data([0x8B, 0x0B, 0x80]) + Data("hello".utf8)
        case .gzipTwice: Packed.gzip
        case .twoMembers: Packed.gzip + Packed.gzip
        case .padded: Packed.gzip + Data(count: 16)
        case .cutOff: Packed.gzip.dropLast(12)
        case .noGzip: Data(CodedAnswer.text.utf8)
        case .rawDeflate: Data(base64Encoded: "y0jNyclXyEAnAQ==") ?? Data()
        }
    }
}

/// ``CodedAnswer/text`` in each coding.
private enum Packed {
    static let gzip = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==") ?? Data()
    static let zlib = Data(base64Encoded: "eJzLSM3JyVfIQCcBaAMIsQ==") ?? Data()
}

/// One answer of a server: its head, and a body if it may have one.
private struct CodedAnswer: Sendable, CustomStringConvertible {
    enum Framing: CaseIterable, Sendable {
        case length, noLength, chunks, noChunks, untilTheEnd, codedChunks
    }

    static let text = "hello hello hello hello"

    let method: HTTPMethod
    let status: Int
    /// The fields `Content-Encoding`.
    let fields: [String]
    let framing: Framing

    /// All combinations. A 205 has no body, but is framed as others are.
    static let all: [CodedAnswer] = {
        let fields = [
            [], ["identity"], ["gzip"], ["x-gzip"], ["GZip"], ["deflate"], ["identity, gzip"], ["gzip", "identity"],
            [""],
            ["br"], ["gzip, gzip"], ["gzip", "br"], ["unknown"],
        ]
        var all: [CodedAnswer] = []
        for method in [HTTPMethod.get, .head, .post] {
            for status in [200, 201, 202, 204, 205, 206, 304, 400, 404, 503] {
                for fields in fields {
                    for framing in Framing.allCases where framing != .codedChunks || fields.isEmpty {
                        all.append(CodedAnswer(method: method, status: status, fields: fields, framing: framing))
                    }
                }
            }
        }
        return all
    }()

    var description: String { "\(method.rawValue) \(status) \(fields) \(framing)" }

    /// The codings, without `identity`. Splits the fields by hand: none has a quoted string.
    var codings: [String] {
        fields.flatMap { $0.components(separatedBy: ",") }.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    /// True if all transports can decode the coding.
    var isDecodable: Bool {
        codings.isEmpty || codings.count == 1 && ["gzip", "x-gzip", "deflate"].contains(codings[0])
    }

    private var hasBody: Bool { method != .head && status != 204 && status != 304 }

    /// True if not one byte of a body is sent.
    private var isEmpty: Bool { !hasBody || framing == .noLength || framing == .noChunks }

    private var bytes: Data {
        switch codings.first {
        case nil: framing == .codedChunks ? Packed.gzip : Data(Self.text.utf8)
        case "deflate": Packed.zlib
        default: Packed.gzip
        }
    }

    var reply: LoopbackReply {
        var headers = fields.map { (key: "Content-Encoding", value: $0) }
        let content = bytes
        switch framing {
        case .length: headers.append(("Content-Length", "\(content.count)"))
        case .noLength: headers.append(("Content-Length", "0"))
        case .chunks, .noChunks: headers.append(("Transfer-Encoding", "chunked"))
        case .codedChunks: headers.append(("Transfer-Encoding", "gzip, chunked"))
        case .untilTheEnd: headers.append(("Connection", "close"))
        }
        let head = LoopbackReply.head(status, headers)
        let end: LoopbackReply = framing == .untilTheEnd ? .close : .bytes("")
        guard hasBody else { return head + end }
        switch framing {
        case .length, .untilTheEnd: return head + .bytes(content) + end
        case .noLength: return head
        case .chunks, .codedChunks:
            let size = String(content.count, radix: 16)
            return head + .bytes("\(size)\r\n") + .bytes(content) + .bytes("\r\n") + .lastChunk
        case .noChunks: return head + .lastChunk
        }
    }

    /// Compares a result with the RFCs.
    func check(_ result: Result<String, HTTPError>, of kind: TransportKind, _ form: String) {
        switch result {
        case .success(let text):
            #expect(arrives(over: kind), "\(form) \(self) was an answer")
            #expect(text == (isEmpty ? "" : Self.text), "\(form) \(self)")
        case .failure(let error):
            #expect(!arrives(over: kind), "\(form) \(self): \(error)")
            let named = framing == .codedChunks ? "gzip" : codings.joined(separator: ", ")
            #expect("\(error)".contains(named), "\(form) \(self): \(error)")
            #expect(!"\(error)".contains("URLError"), "\(form) \(self): \(error)")
        }
    }

    /// True if the answer must arrive, and false if it must not.
    private func arrives(over kind: TransportKind) -> Bool {
        if !hasBody || framing == .noLength { return true }
        guard framing != .codedChunks else { return false }
        if codings.isEmpty { return true }
        #if canImport(FoundationNetworking)
            // It asks for no coding, and cannot see whether a coded body is complete or empty.
            if kind == .urlSession { return false }
        #endif
        return isEmpty || isDecodable
    }
}
