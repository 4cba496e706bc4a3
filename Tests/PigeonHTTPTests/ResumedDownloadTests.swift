import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Downloads that go on where they broke off", .timeLimit(.minutes(1)))
struct ResumedDownloadTests {
    static let part = ".file.bin.download"
    static let mark = ".file.bin.download.json"

    let folder: Folder
    let file: URL
    let dispatcher: MockDispatcher
    let keeping = DownloadOptions(keepsPartialFile: true)

    init() throws {
        folder = try Folder()
        file = folder.url.appendingPathComponent("file.bin")
        dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
    }

    /// Returns an answer that breaks off after its beginning.
    private func cutOff(_ text: String, _ headers: HTTPHeaders = ["ETag": "\"1\""]) -> MockAnswer {
        .pieces([Data(text.utf8)], endingWith: URLError(.networkConnectionLost), headers: headers)
    }

    private func rest(_ text: String, _ range: String, _ headers: HTTPHeaders = ["ETag": "\"1\""]) -> MockAnswer {
        var headers = headers
        headers["Content-Range"] = range
        return .data(Data(text.utf8), status: .partialContent, headers: headers)
    }

    /// Downloads twice. The first download breaks off.
    private func downloadTwice(_ report: TransferReport? = nil) async throws {
        await #expect(throws: HTTPError.self) {
            try await dispatcher.download(from: .get, to: file, options: keeping)
        }
        #expect(folder.text("file.bin") == nil)
        try await dispatcher.download(from: .get, to: file, options: keeping, report: report)
        #expect(folder.names == ["file.bin"])
    }

    private var ranges: [String?] { dispatcher.requests.map { $0.headers["Range"] } }

    @Test("The rest is asked for, of the same version, and put behind the part")
    func rest() async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: rest("def", "bytes 3-5/6"))
        let told = Recorder<TransferProgress>()
        try await downloadTwice { told.append($0) }
        #expect(folder.text("file.bin") == "abcdef")
        #expect(ranges == [nil, "bytes=3-"])
        #expect(dispatcher.requests.map { $0.headers["If-Range"] } == [nil, "\"1\""])
        #expect(dispatcher.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
        #expect(told.all.map(\.received) == [3, 6] && told.all.allSatisfy { $0.expectedToReceive == 6 })
    }

    @Test("What is kept lies beside the destination, without the request's query")
    func kept() async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"))
        let request = BasicRequest(method: .get, path: "/", queryItems: [URLQueryItem(name: "token", value: "secret")])
        await #expect(throws: HTTPError.self) {
            try await dispatcher.download(from: request, to: file, options: keeping)
        }
        #expect(folder.names == [Self.part, Self.mark] && folder.text(Self.part) == "abc")
        #expect(try #require(folder.text(Self.mark)).contains("secret") == false)
    }

    @Test("A date of the last change does as well, where there is no tag")
    func lastModified() async throws {
        let headers: HTTPHeaders = [
            "Last-Modified": "Sat, 01 Jan 2000 00:00:00 GMT", "Date": "Sat, 01 Jan 2000 00:00:01 GMT",
        ]
        dispatcher.answer(
            .get, "/", with: cutOff("abc", headers), then: rest("def", "bytes 3-5/*", headers), .status(.other(416)))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "abcdef")
        #expect(dispatcher.requests.last?.headers["If-Range"] == "Sat, 01 Jan 2000 00:00:00 GMT")
    }

    @Test(
        "Without a strong name of the version nothing is kept",
        arguments: [
            [:], ["ETag": "W/\"1\""], ["ETag": "W/\"1\"", "Last-Modified": "Sat, 01 Jan 2000 00:00:00 GMT"],
            ["Last-Modified": "Sat, 01 Jan 2000 00:00:00 GMT", "Date": "Sat, 01 Jan 2000 00:00:00 GMT"],
            ["Last-Modified": "Sat, 01 Jan 2000 00:00:00 GMT"], ["ETag": "\"1\"", "Content-Encoding": "gzip"],
        ] as [HTTPHeaders])
    func weak(_ headers: HTTPHeaders) async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc", headers), then: .text("whole"))
        await #expect(throws: HTTPError.self) { try await dispatcher.download(from: .get, to: file, options: keeping) }
        #expect(folder.names.isEmpty)
        try await dispatcher.download(from: .get, to: file, options: keeping)
        #expect(folder.text("file.bin") == "whole" && ranges == [nil, nil])
    }

    @Test("A changed file, which the server sends whole, begins anew")
    func changed() async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: .text("new", headers: ["ETag": "\"2\""]))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "new" && ranges == [nil, "bytes=3-"])
    }

    @Test(
        "A rest that does not fit begins anew",
        arguments: ["bytes 2-5/6", "bytes 4-5/6", "items 3-5/6", "bytes */6", "3-5"])
    func misfit(_ range: String) async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: rest("xyz", range), .text("whole"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "whole" && ranges == [nil, "bytes=3-", nil])
    }

    @Test("A rest of another version begins anew")
    func otherVersion() async throws {
        dispatcher.answer(
            .get, "/", with: cutOff("abc"), then: rest("xyz", "bytes 3-5/6", ["ETag": "\"2\""]), .text("whole"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "whole" && ranges == [nil, "bytes=3-", nil])
    }

    @Test("A range that cannot be satisfied begins anew")
    func unsatisfiable() async throws {
        let answer = MockAnswer.status(.other(416), headers: ["Content-Range": "bytes */2"])
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: answer, .text("ab"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "ab" && ranges == [nil, "bytes=3-", nil])
    }

    @Test("Another request begins anew")
    func otherRequest() async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: .text("other"))
        await #expect(throws: HTTPError.self) { try await dispatcher.download(from: .get, to: file, options: keeping) }
        let other = BasicRequest(method: .get, path: "/", queryItems: [URLQueryItem(name: "a", value: "b")])
        try await dispatcher.download(from: other, to: file, options: keeping)
        #expect(folder.text("file.bin") == "other" && ranges == [nil, nil] && folder.names == ["file.bin"])
    }

    @Test("A damaged note of the version begins anew", arguments: ["", "{}", "no"])
    func damaged(_ text: String) async throws {
        _ = try folder.file(Self.part, "damaged")
        _ = try folder.file(Self.mark, text)
        dispatcher.answer(.get, "/", with: .text("whole"))
        try await dispatcher.download(from: .get, to: file, options: keeping)
        #expect(folder.text("file.bin") == "whole" && ranges == [nil] && folder.names == ["file.bin"])
    }

    @Test("An error in between keeps what is there, and so does another loss")
    func errorBetween() async throws {
        dispatcher.answer(
            .get, "/", with: cutOff("ab"), then: .status(.serviceUnavailable), .error(URLError(.timedOut)),
            .pieces(
                [Data("c".utf8)], endingWith: URLError(.timedOut), status: .partialContent,
                headers: ["Content-Range": "bytes 2-5/6"]),
            rest("def", "bytes 3-5/6"))
        for _ in 0..<4 {
            await #expect(throws: HTTPError.self) {
                try await dispatcher.download(from: .get, to: file, options: keeping)
            }
        }
        try await dispatcher.download(from: .get, to: file, options: keeping)
        #expect(folder.text("file.bin") == "abcdef")
        #expect(ranges == [nil, "bytes=2-", "bytes=2-", "bytes=2-", "bytes=3-"])
    }

    @Test("Cancelling keeps what is there")
    func cancelling() async throws {
        let (chunks, server) = HTTPChunks.makeStream()
        dispatcher.answer(
            .get, "/", with: .stream(headers: ["ETag": "\"1\""]) { chunks }, then: rest("c", "bytes 2-2/3"))
        server.yield(Data("ab".utf8))
        let told = Recorder<TransferProgress>()
        let task = Task { [dispatcher, file, keeping] in
            try await dispatcher.download(from: .get, to: file, options: keeping) { told.append($0) }
        }
        await until { told.all.last?.received == 2 }
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        try await dispatcher.download(from: .get, to: file, options: keeping)
        #expect(folder.text("file.bin") == "abc")
    }

    @Test("A server that sends less than the rest is asked on, but not for ever")
    func lessThanRest() async throws {
        dispatcher.answer(
            .get, "/", with: cutOff("ab"), then: rest("cd", "bytes 2-3/6"), rest("ef", "bytes 4-5/6"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "abcdef" && ranges == [nil, "bytes=2-", "bytes=4-"])
        dispatcher.answer(.get, "/", with: cutOff("ab"), then: rest("", "bytes 2-3/6"))
        for _ in 0..<2 {
            await #expect(throws: HTTPError.self) {
                try await dispatcher.download(from: .get, to: file, options: keeping)
            }
        }
        #expect(dispatcher.requests.count == 5 && folder.text("file.bin") == "abcdef")
    }

    @Test(
        "while the length is not known, the server is asked on until it says that there is no more", .rule("H5"),
        arguments: [nil, "bytes */7"])
    func unknownLength(end: String?) async throws {
        dispatcher.answer(
            .get, "/", with: cutOff("ab"), then: rest("cd", "bytes 2-3/*"), rest("efg", "bytes 4-6/*"),
            .status(.other(416), headers: end.map { ["Content-Range": $0] } ?? [:]))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "abcdefg" && ranges == [nil, "bytes=2-", "bytes=4-", "bytes=7-"])
    }

    @Test("a part whose length was known before is not taken for the end", .rule("H5"))
    func shorterThanKnown() async throws {
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Content-Length": "6"]
        dispatcher.answer(
            .get, "/", with: cutOff("ab", headers), then: rest("cd", "bytes 2-3/*"), .status(.other(416)),
            .text("whole!"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "whole!" && ranges == [nil, "bytes=2-", "bytes=4-", nil])
    }

    @Test("a length that is not the one known before is that of another file, which begins anew", .rule("H5"))
    func otherLength() async throws {
        let headers: HTTPHeaders = ["ETag": "\"1\"", "Content-Length": "10"]
        dispatcher.answer(
            .get, "/", with: cutOff("abc", headers), then: rest("de", "bytes 3-4/5"), .text("whole"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "whole" && ranges == [nil, "bytes=3-", nil])
    }

    @Test("a file that has grown after its end was asked for begins anew", .rule("H5"))
    func grown() async throws {
        dispatcher.answer(
            .get, "/", with: cutOff("ab"), then: rest("cd", "bytes 2-3/*"),
            .status(.other(416), headers: ["Content-Range": "bytes */3"]), .text("new"))
        try await downloadTwice()
        #expect(folder.text("file.bin") == "new" && ranges == [nil, "bytes=2-", "bytes=4-", nil])
    }

    @Test("a part of unknown length that cannot be asked on is an error", .rule("H5"))
    func unasked() async throws {
        dispatcher.answer(.get, "/", with: rest("abc", "bytes 0-2/*"))
        await #expect(throws: HTTPError.self) { try await dispatcher.download(from: .get, to: file) }
        #expect(folder.names.isEmpty)
    }

    @Test("A part that was not asked for is an error; one that the request asks for itself is saved")
    func parts() async throws {
        dispatcher.answer(.get, "/", with: rest("def", "bytes 3-5/6"))
        await #expect { try await dispatcher.download(from: .get, to: file, options: keeping) } throws: {
            $0.download == .unexpectedPart
        }
        #expect(folder.names.isEmpty)
        let request = BasicRequest(method: .get, path: "/", headers: ["range": "bytes=3-"])
        try await dispatcher.download(from: request, to: file, options: keeping)
        #expect(folder.text("file.bin") == "def" && ranges == [nil, "bytes=3-"])
    }

    @Test("A whole over the limit is dropped, with the part of it")
    func limit() async throws {
        dispatcher.answer(.get, "/", with: cutOff("abc"), then: rest("def", "bytes 3-5/6"))
        let options = DownloadOptions(limit: 5, keepsPartialFile: true)
        for _ in 0..<2 {
            await #expect(throws: HTTPError.self) {
                try await dispatcher.download(from: .get, to: file, options: options)
            }
        }
        #expect(folder.names.isEmpty)
    }

    @Test("A download from a real server goes on after a loss", arguments: TransportKind.allCases)
    func loopback(_ kind: TransportKind) async throws {
        let isSaved = Gate()
        try await withLoopback { request in
            guard let range = request.headers["Range"], range == "bytes=3-", request.headers["If-Range"] == "\"1\""
            else {
                return .head(200, ["Content-Length": "6", "ETag": "\"1\""]) + .bytes("abc") + .wait(isSaved) + .close
            }
            return .status(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"1\""], body: Data("def".utf8))
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            await #expect {
                try await dispatcher.download(from: .get, to: file, options: keeping) { progress in
                    if progress.received == 3 { isSaved.open() }
                }
            } throws: { error in
                guard case .transport = error as? HTTPError else { return false }
                return true
            }
            try await dispatcher.download(from: .get, to: file, options: keeping)
            #expect(folder.text("file.bin") == "abcdef" && folder.names == ["file.bin"])
        }
    }
}
