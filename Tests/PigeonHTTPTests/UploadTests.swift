import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("Uploads of a file", .timeLimit(.minutes(1)))
struct UploadTests {
    let folder: Folder
    let dispatcher: MockDispatcher
    let put = BasicRequest(method: .put, path: "/videos/7", queryItems: [URLQueryItem(name: "a", value: "b")])

    init() throws {
        folder = try Folder()
        dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
    }

    @Test("The file is the body, and all else is the request's")
    func body() async throws {
        dispatcher.answer(.put, "/videos/:id", with: .status(.created))
        let file = try folder.file("video", "bytes")
        let answer = try await dispatcher.upload(file: file, with: put)
        #expect(answer.statusCode == .created)
        let asked = try #require(dispatcher.requests.first)
        #expect(asked.body == Data("bytes".utf8) && asked.query("a") == "b")
        #expect(asked.headers["Content-Type"] == "application/octet-stream")
    }

    @Test("A content type of the request is kept, however it is written")
    func contentType() async throws {
        dispatcher.answer(.put, "/videos/:id", with: .status(.ok))
        var request = put
        request.headers["content-TYPE"] = "video/mp4"
        try await dispatcher.upload(file: folder.file("video", "bytes"), with: request)
        #expect(dispatcher.requests.first?.headers.values(of: "Content-Type") == ["video/mp4"])
    }

    @Test("An answer with any status is an answer")
    func status() async throws {
        dispatcher.answer(.put, "/videos/:id", with: .status(.notFound))
        let answer = try await dispatcher.upload(file: folder.file("video", "bytes"), with: put)
        #expect(answer.statusCode == .notFound)
    }

    @Test("A file that is not there is an error of the request")
    func missing() async throws {
        dispatcher.answer(.put, "/videos/:id", with: .status(.ok))
        let file = folder.url.appendingPathComponent("nothing")
        await #expect { try await dispatcher.upload(file: file, with: put) } throws: { error in
            guard case .defect(.invalidBody) = error as? HTTPError else { return false }
            return true
        }
        #expect(dispatcher.requests.isEmpty)
    }

    @Test("A real server gets the file byte for byte, and progress is told", arguments: TransportKind.allCases)
    func loopback(_ kind: TransportKind) async throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = folder.url.appendingPathComponent("video")
        try bytes.write(to: file)
        try await withLoopback { _ in
            .status(201)
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            let told = Recorder<TransferProgress>()
            let answer = try await dispatcher.upload(file: file, with: put) { told.append($0) }
            #expect(answer.statusCode == .created)
            let asked = try #require(server.requests.first)
            #expect(asked.body == bytes && asked.target == "/videos/7?a=b")
            #expect(told.all.map(\.sent).max() == 300_000)
            #expect(told.all.allSatisfy { $0.expectedToSend == 300_000 })
        }
    }
}
