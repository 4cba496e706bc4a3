import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Downloads to a file", .timeLimit(.minutes(1)))
struct DownloadTests {
    let folder: Folder
    let file: URL
    let dispatcher: MockDispatcher

    init() throws {
        folder = try Folder()
        file = folder.url.appendingPathComponent("file.bin")
        dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
    }

    private func pieces(_ texts: String..., endingWith error: (any Error)? = nil) -> MockAnswer {
        .pieces(texts.map { Data($0.utf8) }, endingWith: error)
    }

    @Test(
        "a file that comes faster than it can be written comes whole", .rule("H15"), arguments: TransportKind.allCases)
    func fast(kind: TransportKind) async throws {
        let pieces = LoopbackReply(steps: Array(repeating: .bytes(Data(count: 4 << 20)), count: 40))
        try await withLoopback { _ in
            .head(200, ["Content-Length": "\(160 << 20)"]) + pieces
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            let file = folder.url.appendingPathComponent("file")
            try await dispatcher.download(from: .get, to: file)
            #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int == 160 << 20)
        }
    }

    @Test("A file is saved whole, byte for byte, and nothing else is left")
    func whole() async throws {
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        dispatcher.answer(.get, "/", with: .pieces([bytes.prefix(1), bytes.dropFirst(1)]))
        let answer = try await dispatcher.download(from: .get, to: file)
        #expect(answer.data == file && answer.statusCode == .ok)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(folder.names == ["file.bin"])
    }

    @Test("An answer without a body is an empty file")
    func empty() async throws {
        dispatcher.answer(.get, "/", with: .status(.ok, headers: ["Content-Length": "0"]))
        try await dispatcher.download(from: .get, to: file)
        #expect(folder.text("file.bin") == "")
    }

    @Test("an existing file stays as it is until the new one is whole", .rule("PiuPiu N10"))
    func replaced() async throws {
        _ = try folder.file("file.bin", "old")
        let (chunks, server) = HTTPChunks.makeStream()
        dispatcher.answer(.get, "/", with: .stream { chunks })
        let told = Recorder<TransferProgress>()
        let task = Task { [dispatcher, file] in
            try await dispatcher.download(from: .get, to: file) { told.append($0) }
        }
        server.yield(Data("new".utf8))
        await until { told.all.last?.received == 3 }
        #expect(folder.text("file.bin") == "old")
        server.finish()
        _ = try await task.value
        #expect(folder.text("file.bin") == "new" && folder.names == ["file.bin"])
    }

    @Test("an error page is thrown, not saved", .rule("PiuPiu N10"), arguments: [302, 304, 404, 500])
    func errorPage(_ status: Int) async throws {
        _ = try folder.file("file.bin", "old")
        let page = String(repeating: "x", count: 100_000)
        dispatcher.answer(.get, "/", with: .text(page, status: StatusCode(rawValue: status)))
        await #expect { try await dispatcher.download(from: .get, to: file) } throws: { error in
            guard case .status(let answer) = error as? HTTPError else { return false }
            return answer.statusCode.rawValue == status && answer.data?.count == 1 << 16
        }
        #expect(folder.text("file.bin") == "old" && folder.names == ["file.bin"])
        await dispatcher.transport.idle()
    }

    @Test("A body cut off leaves the destination as it was")
    func cutOff() async throws {
        _ = try folder.file("file.bin", "old")
        dispatcher.answer(
            .get, "/", with: pieces("par", endingWith: URLError(.networkConnectionLost)),
            then: .data(Data("short".utf8), headers: ["Content-Length": "6"]))
        for _ in 0..<2 {
            await #expect { try await dispatcher.download(from: .get, to: file) } throws: { error in
                guard case .transport(let error) = error as? HTTPError else { return false }
                return error.code == .networkConnectionLost
            }
            #expect(folder.text("file.bin") == "old" && folder.names == ["file.bin"])
        }
    }

    @Test("The length of a compressed body is not that of the file")
    func compressed() async throws {
        let headers: HTTPHeaders = ["Content-Length": "3", "Content-Encoding": "gzip"]
        dispatcher.answer(.get, "/", with: .data(Data("unpacked".utf8), headers: headers))
        let told = Recorder<TransferProgress>()
        try await dispatcher.download(from: .get, to: file) { told.append($0) }
        #expect(folder.text("file.bin") == "unpacked")
        #expect(told.all.allSatisfy { $0.expectedToReceive == nil })
    }

    @Test("Cancelling leaves the destination as it was, and ends the request")
    func cancelling() async throws {
        _ = try folder.file("file.bin", "old")
        let (chunks, server) = HTTPChunks.makeStream()
        dispatcher.answer(.get, "/", with: .stream { chunks })
        server.yield(Data("new".utf8))
        let told = Recorder<TransferProgress>()
        let task = Task { [dispatcher, file] in
            try await dispatcher.download(from: .get, to: file) { told.append($0) }
        }
        await until { told.all.last?.received == 3 }
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        await dispatcher.transport.idle()
        #expect(dispatcher.transport.cancelledCount == 1)
        #expect(folder.text("file.bin") == "old" && folder.names == ["file.bin"])
    }

    @Test("A file over the limit is not saved, whether the server said so or not")
    func limit() async throws {
        dispatcher.answer(
            .get, "/", with: pieces("1234", "5"), then: .data(Data("12345".utf8), headers: ["Content-Length": "5"]))
        for _ in 0..<2 {
            await #expect {
                try await dispatcher.download(from: .get, to: file, options: DownloadOptions(limit: 4))
            } throws: { error in
                guard case .bodyTooLarge(limit: 4) = error as? HTTPError else { return false }
                return true
            }
        }
        #expect(folder.names.isEmpty)
        dispatcher.answer(.get, "/", with: pieces("1234"))
        try await dispatcher.download(from: .get, to: file, options: DownloadOptions(limit: 4))
        #expect(folder.text("file.bin") == "1234")
        await dispatcher.transport.idle()
    }

    @Test("Progress is what has been saved, of what the server announced")
    func progress() async throws {
        let answer = MockAnswer.pieces([Data("123".utf8), Data("45".utf8)], headers: ["Content-Length": "5"])
        dispatcher.answer(.get, "/", with: answer)
        let told = Recorder<TransferProgress>()
        try await dispatcher.download(from: .get, to: file) { told.append($0) }
        #expect(told.all.map(\.received) == [0, 3, 5])
        #expect(told.all.allSatisfy { $0.expectedToReceive == 5 })
    }

    @Test("A directory that is not there, or in the way, is an error before anything is asked")
    func directories() async throws {
        let nowhere = folder.url.appendingPathComponent("no/file.bin")
        await #expect { try await dispatcher.download(from: .get, to: nowhere) } throws: {
            $0.download == .noDirectory(nowhere.deletingLastPathComponent().path)
        }
        await #expect { try await dispatcher.download(from: .get, to: folder.url) } throws: {
            $0.download == .isDirectory(folder.url.path)
        }
        await #expect { try await dispatcher.download(from: .get, to: .of("https://example.com/a?b=secret")) } throws: {
            $0.download == .noFile("https://example.com/a")
        }
        #expect(dispatcher.requests.isEmpty)
    }

    #if os(Linux)
        @Test("What the system does not allow is told with its reason")
        func forbidden() async throws {
            let file = URL(fileURLWithPath: "/proc/pigeon")
            do {
                try await dispatcher.download(from: .get, to: file)
                Issue.record("It was saved.")
            } catch {
                guard case .cannotWrite(_, let reason) = error.download else { throw Broken() }
                #expect(!reason.isEmpty)
            }
            #expect(dispatcher.requests.isEmpty)
        }
    #endif

    @Test("Many downloads to one file leave one of them, whole", arguments: [true, false])
    func atOnce(_ isKept: Bool) async throws {
        dispatcher.answer(.get, "/:number") { _, values in
            let piece = Data(repeating: UInt8(values.integer("number") ?? 0), count: 1000)
            return .pieces(Array(repeating: piece, count: 50), headers: ["ETag": "\"\(values["number"] ?? "")\""])
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { [dispatcher, file] in
                    let request = BasicRequest(method: .get, path: "/\(number)")
                    let options = DownloadOptions(keepsPartialFile: isKept)
                    try await dispatcher.download(from: request, to: file, options: options)
                }
            }
            try await group.waitForAll()
        }
        let bytes = try Data(contentsOf: file)
        #expect(bytes.count == 50_000 && Set(bytes).count == 1)
        #expect(folder.names == ["file.bin"])
    }
}

extension Error {
    /// The reason why a download was not saved.
    var download: DownloadError? {
        guard case .other(let error) = self as? HTTPError else { return nil }
        return error as? DownloadError
    }
}
