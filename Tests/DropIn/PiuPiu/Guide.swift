import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the guide says of the old code stands somewhere in this list, after `// guide: ` and the start of its row.
@Suite("PiuPiu: the guide")
struct GuideTests {
    private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test("each row of the guide's tables stands in the list, and each mark of the list is the start of a row")
    func rows() throws {
        let rows = try firstColumn()
        let marks = try marks()
        #expect(rows.count > 50)
        for mark in marks where !rows.contains(where: { $0.hasPrefix(mark) }) {
            Issue.record("the guide has no row \(mark)")
        }
        for row in rows where !marks.contains(where: { row.hasPrefix($0) }) {
            Issue.record("the list has nothing for \(row)")
        }
    }

    /// The first column of each table.
    private func firstColumn() throws -> [String] {
        let files = FileManager.default
        var root = folder
        while root.path != "/", !files.fileExists(atPath: root.appendingPathComponent("Package.swift").path) {
            root.deleteLastPathComponent()
        }
        let guide = root.appendingPathComponent("Documentation/MigratingFromPiuPiu.md")
        let lines = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n")
        return zip(lines, lines.dropFirst()).filter { line, next in
            line.hasPrefix("| ") && !next.hasPrefix("|---")
        }.compactMap { line, _ in line.dropFirst(2).components(separatedBy: " | ").first }
    }

    private func marks() throws -> Set<String> {
        let start = "// guide" + ": "
        var marks: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            for line in text.components(separatedBy: "\n") {
                let parts = line.components(separatedBy: start)
                if parts.count == 2, !parts[0].contains("`") { marks.insert(parts[1]) }
            }
        }
        return marks
    }
}

extension GuideTests {
    @Test("guide: the dispatchers of futures have names that no other module has")
    func names() throws {
        // guide: `Dispatcher` and `NetworkDispatcher`, in a file that imports
        let base = try #require(URL(string: "https://api.test"))
        let dispatcher: any FutureDispatcher = FutureNetworkDispatcher(baseURL: base)
        let old: any Dispatcher = dispatcher
        #expect(type(of: old) == NetworkDispatcher.self)
    }

    @Test("guide: the futures of a mock call the function that a subclass overrides")
    func overriding() async throws {
        // guide: a subclass of `MockDispatcher` that overrides
        final class Marked: MockDispatcher, @unchecked Sendable {  // adds nothing
            override func response(
                from request: any Request, report: TransferReport? = nil
            ) async throws(HTTPError) -> Response<Data?> {
                throw .cancelled
            }
        }
        let base = try #require(URL(string: "https://api.test"))
        let dispatcher = Marked(baseUrl: base, mockStatusCode: .ok)
        await #expect(throws: CancellationError.self) { try await dispatcher.future(from: .get("/posts")).value }
    }

    @Test("guide: a ? begins a query in a literal, and belongs to the path in a variable")
    func queries() {
        // guide: a `?` in the path
        let path = "/posts?"
        #expect(BasicRequest(method: .get, path: path).path == "/posts?")
        let request = BasicRequest(method: .get, path: "/posts?page=2")
        #expect(request.path == "/posts" && request.queryItems == [URLQueryItem(name: "page", value: "2")])
    }

    @Test("guide: httpBody stays, and body is beside it, for files")
    func bodies() {
        // guide: `Request.httpBody`
        var request = BasicRequest(method: .post, path: "/photos")
        request.httpBody = Data("piu".utf8)
        #expect(request.body?.bytes == Data("piu".utf8))
        request.body = .file(URL.temporaryDirectory.appendingPathComponent("photo.jpg"))
        #expect(request.httpBody == nil)
    }

    @Test("guide: cancelling, progress, timeouts, retries, parallel calls and async are there (P5)")
    func beside() async throws {
        // guide: P5
        let request = BasicRequest(method: .get, path: "/posts/1")
        let dispatcher = mock()
        let future = dispatcher.future(from: request).progress { _ in }.cancellation {}.timeout(.seconds(60))
        #expect(try await future.parallelJoin { ResponseFuture(result: 1) }.value.1 == 1)
        let post: Post = try await dispatcher.value(from: request)
        #expect(post == Post())
        // guide: P6
        var policy = HTTPPolicy()
        policy.retry = .standard
        #expect(NetworkDispatcher(baseURL: example, policy: policy).policy.requestsPerHost == nil)
    }

    @Test("guide: futures end once, whatever is called (N5, N7, N9), and nothing happens before they are started (N11)")
    @MainActor
    func ending() async {
        let screen = Screen()
        let future = ResponseFuture<Int> { future in
            future.succeed(with: 1)
            future.fail(with: Trouble())
        }
        // guide: N5
        future.success { screen.show($0) }.error { screen.show($0) }.cancellation { screen.show("cancelled") }
        // guide: N11
        #expect(future.status == .created && screen.lines.isEmpty)
        await future.finish()
        #expect(screen.lines == ["1"])
    }

    @Test("guide: a page of an error is not saved in place of a file (N10)")
    func files() async throws {
        let file = URL.temporaryDirectory.appendingPathComponent("piupiu-\(UUID().uuidString)")
        try Data("old".utf8).write(to: file)
        let request = URLRequest(url: example.appendingPathComponent("photo"), method: .get)
        // guide: N10
        await #expect(throws: (any Error).self) {
            try await mock("page", status: .notFound).downloadFuture(from: request, to: file).fetchResult()
        }
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        _ = try await mock("new").downloadFuture(from: request, to: file).fetchResult()
        #expect(try Data(contentsOf: file) == Data("new".utf8))
        try FileManager.default.removeItem(at: file)
    }

    #if os(Linux) || os(macOS)
        @Test("guide: steps take no turn of the main queue (N14)")
        func steps() async {
            // In a process of its own: all other tests share their main thread, and the pool's threads with it.
            await #expect(processExitsWith: .success) { @MainActor in
                let done = DispatchSemaphore(value: 0)
                // guide: N14
                DispatchQueue.global().async {
                    ResponseFuture(result: 1).then { $0 + 1 }.completion { done.signal() }.start()
                }
                #expect(done.wait(timeout: .now() + 60) == .success)  // the main thread does nothing else meanwhile
            }
        }
    #endif
}
