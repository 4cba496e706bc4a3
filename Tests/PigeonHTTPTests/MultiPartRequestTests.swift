import Foundation
import PigeonHTTP
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A form with files")
struct MultiPartRequestTests {
    private let server = FixedServer(URL(string: "https://h"))

    @Test("Texts come first, in the order of their names, then the file")
    func seedForm() throws {
        var request = MultiPartRequest(method: .post, path: "/files") { "BOUNDARY" }
        request.setHTTPBody(
            file: Data("bytes".utf8), fileName: "a.txt", mimeType: "text/plain", parameters: ["z": "1", "a": "2"])
        let expected = [
            "--BOUNDARY", #"Content-Disposition: form-data; name="a""#, "", "2",
            "--BOUNDARY", #"Content-Disposition: form-data; name="z""#, "", "1",
            "--BOUNDARY", #"Content-Disposition: form-data; name="file"; filename="a.txt""#, "Content-Type: text/plain",
            "", "bytes", "--BOUNDARY--", "",
        ]
        #expect(form(of: request) == expected.joined(separator: "\r\n"))
        #expect(request.headers == ["Content-Type": "multipart/form-data; boundary=BOUNDARY"])
    }

    @Test("parts keep the order they were added in, and there may be several files", .rule("PiuPiu P15"))
    func order() throws {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append(file: Data("1".utf8), name: "f", fileName: "one")
        request.append("text", name: "b")
        request.append("text", name: "a")
        request.append(file: Data("2".utf8), name: "f", fileName: "two")
        #expect(request.parts.map(\.name) == ["f", "b", "a", "f"])
        let text = try #require(form(of: request))
        let places = ["one", "name=\"b\"", "name=\"a\"", "two"].map { text.range(of: $0)?.lowerBound }
        #expect(places.compactMap(\.self).count == 4)
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test("quotes and line breaks in names end neither the name nor the line", .rule("PiuPiu P15"))
    func escaping() throws {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append(
            file: Data(), name: "a\"b\r\nX-Evil: 1", fileName: "c\";d=\"\n\r\n\r\nevil", mimeType: "text/plain")
        let text = try #require(form(of: request))
        #expect(text.contains(#"name="a%22b%0D%0AX-Evil: 1"; filename="c%22;d=%22%0A%0D%0A%0D%0Aevil""#))
        #expect(!text.contains("\nX-Evil"))
    }

    @Test("Names beyond ASCII are UTF-8; texts are kept byte for byte")
    func unicode() throws {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append("日本\n\"", name: "ü")
        #expect(try #require(form(of: request)).contains("name=\"ü\"\r\n\r\n日本\n\"\r\n--"))
    }

    @Test("a file on disk is a piece of its own, read by who sends", .rule("D8", "PiuPiu P15"))
    func streamed() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("from disk".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var request = MultiPartRequest(method: .post, path: "/files") { "B" }
        request.append("1", name: "a")
        request.append(file: file, name: "f", mimeType: "text/plain")
        #expect(request.httpBody == nil)
        let segments = try #require(request.body?.segments)
        #expect(segments.count == 3 && segments[1] == .file(file))

        let sent = try #require(try server.urlRequest(from: request).httpBody)
        let expected = [
            "--B", #"Content-Disposition: form-data; name="a""#, "", "1",
            "--B", #"Content-Disposition: form-data; name="f"; filename="\#(file.lastPathComponent)""#,
            "Content-Type: text/plain", "", "from disk", "--B--", "",
        ]
        #expect(String(decoding: sent, as: UTF8.self) == expected.joined(separator: "\r\n"))
    }

    @Test("A boundary that stands in a part is replaced by another")
    func boundary() throws {
        let boundaries = Locked(["third", "second", "first"])
        var request = MultiPartRequest(method: .post, path: "/files") { boundaries.withLock { $0.removeLast() } }
        request.append("second", name: "a")
        #expect(request.boundary == "first")
        request.append("the first", name: "b")
        #expect(request.boundary == "third")
        #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=third")
    }

    @Test("Two requests have two boundaries")
    func freshBoundaries() {
        let boundaries = (0..<2).map { _ in MultiPartRequest(method: .post, path: "/").boundary }
        #expect(boundaries[0] != boundaries[1])
    }

    @Test("The form's content type overwrites any other; other headers stay, but for a length")
    func headers() throws {
        var request = MultiPartRequest(
            method: .put, path: "/files", queryItems: [URLQueryItem(name: "a", value: "1")],
            headers: ["content-type": "text/plain", "content-length": "7", "X": "1"]
        ) { "B" }
        #expect(request.headers["content-type"] == "text/plain")
        request.append("1", name: "a")
        request.timeout = .seconds(1)
        let sent = try server.transportRequest(from: request)
        #expect(sent.headers == ["Content-Type": "multipart/form-data; boundary=B", "X": "1"])
        #expect(sent.url.absoluteString == "https://h/files?a=1")
        #expect(sent.timeout == .seconds(1))
    }

    @Test("Without parts there is no body")
    func empty() {
        var request = MultiPartRequest(method: .post, path: "/files")
        #expect(request.body == nil && request.headers.isEmpty)
        request.append("1", name: "a")
        request.removeAllParts()
        #expect(request.body == nil && request.headers.isEmpty)
    }

    @Test("Setting replaces what was there")
    func setting() {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append("1", name: "old")
        request.setHTTPBody(parameters: ["new": "1"])
        #expect(request.parts.map(\.name) == ["new"])
    }

    @Test(
        "A media type that is none is thrown in place of sending",
        arguments: ["", "text", "text/", "/plain", "text/plain\r\nX: 1", "a/b/c", "te xt/plain"])
    func mediaType(type: String) {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append(file: Data(), name: "f", fileName: "f", mimeType: type)
        #expect {
            try server.transportRequest(from: request)
        } throws: {
            if case .defect(.invalidBody) = $0 as? HTTPError { true } else { false }
        }
    }

    @Test("A media type may have parameters", arguments: ["text/plain; charset=utf-8", "image/svg+xml"])
    func mediaTypeParameters(type: String) throws {
        var request = MultiPartRequest(method: .post, path: "/files")
        request.append(file: Data(), name: "f", fileName: "f", mimeType: type)
        _ = try server.transportRequest(from: request)
    }

    private func form(of request: MultiPartRequest) -> String? {
        request.httpBody.map { String(decoding: $0, as: UTF8.self) }
    }
}
