import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("A mock transport's answers", .timeLimit(.minutes(1)))
struct MockTransportTests {
    let mock = MockTransport()

    @Test("An answer is given for its method and path alone", .rule("D9"))
    func methodAndPath() async throws {
        mock.answer(.get, "/users", with: .text("list"))
        mock.answer(.post, "/users", with: .status(.other(201)))
        #expect(try await mock.text("/users") == "list")
        #expect(try await mock.ask(.post, "/users").status == 201)
        await #expect(throws: HTTPError.self) { try await mock.ask(.put, "/users") }
    }

    @Test("The status of an answer can be a number")
    func numbers() async throws {
        mock.answer(
            .get, "/me", with: .status(401), then: try .json(["a"], status: 203), .status(304, headers: ["ETag": "v"]))
        #expect(try await mock.ask(.get, "/me").status == 401)
        let found = try await mock.ask(.get, "/me")
        #expect(found.status == 203 && found.body == Data(#"["a"]"#.utf8))
        let unchanged = try await mock.ask(.get, "/me")
        #expect(unchanged.status == 304 && unchanged.headers["ETag"] == "v")
        mock.answer(.get, "/text", with: .text("down", status: 503))
        #expect(try await mock.ask(.get, "/text").status == 503)
    }

    @Test("A handler sees the request and what the pattern found")
    func handler() async throws {
        mock.answer(.put, "/users/:id") { request, values in
            .text("\(values["id"] ?? "") \(request.query("a") ?? "") \(try request.json([Int].self))")
        }
        let answer = try await mock.ask(.put, "/users/7?a=b%20c", body: .data(Data("[1,2]".utf8)))
        #expect(String(decoding: answer.body, as: UTF8.self) == "7 b c [1, 2]")
        #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
    }

    @Test("Answers come one after another, the last one again and again")
    func sequence() async throws {
        mock.answer(.get, "/", with: .status(.other(503)), then: .text("a"), .text("b"))
        #expect(try await mock.ask(.get, "/").status == 503)
        #expect(try await mock.text("/") == "a")
        #expect(try await mock.text("/") == "b")
        #expect(try await mock.text("/") == "b")
    }

    @Test("The newest of several answers is given")
    func newest() async throws {
        mock.answer(nil, "**", with: .text("any"))
        mock.answer(.get, "/users/:id", with: .text("one"))
        mock.answer(.get, "/users/me", with: .text("me"))
        #expect(try await mock.text("/users/me") == "me")
        #expect(try await mock.text("/users/7") == "one")
        #expect(try await mock.text("/posts/7/8") == "any")
    }

    @Test("An address in a pattern is for that server alone")
    func servers() async throws {
        mock.answer(nil, "/**", with: .text("own"))
        mock.answer(nil, "https://OTHER.example/a", with: .text("other"))
        #expect(try await mock.text("https://other.example:443/a") == "other")
        #expect(try await mock.text("http://other.example/a") == "own")
        #expect(try await mock.text("/a") == "own")
    }

    @Test("Patterns begin below the base URL's path")
    func base() async throws {
        let mock = MockTransport(baseURL: try .of("https://example.com/api/v1"))
        mock.answer(nil, "/users", with: .text("list"))
        #expect(try await mock.text("/api/v1/users") == "list")
        #expect(mock.requests.map(\.path) == ["/users"])
    }

    @Test("What no script matches is an error that names method and path, not the query")
    func unscripted() async throws {
        mock.answer(nil, "/users", with: .status(.ok))
        do {
            _ = try await mock.ask(.delete, "/users/7?token=secret")
            Issue.record("It was answered.")
        } catch .other(let error) {
            #expect(error as? UnscriptedRequest == UnscriptedRequest(method: .delete, path: "/users/7"))
            #expect(
                "\(error)" == "No answer is scripted for DELETE /users/7. "
                    + "Script one: answer(.delete, \"/users/7\", with: …).")
        }
        #expect(mock.activeCount == 0)
        let written = UnscriptedRequest(method: .get, path: "/me?token=secret")
        #expect(written.path == "/me", "also when it was written into the path")
    }

    @Test("Errors are thrown in place of an answer")
    func errors() async throws {
        mock.answer(nil, "/offline", with: .error(URLError(.notConnectedToInternet)))
        mock.answer(nil, "/broken") { _, _ in throw Broken() }
        await #expect { try await mock.ask(.get, "/offline") } throws: { error in
            guard case .transport(let error) = error as? HTTPError else { return false }
            return error.code == .notConnectedToInternet
        }
        await #expect { try await mock.ask(.get, "/broken") } throws: { error in
            guard case .other(let error) = error as? HTTPError else { return false }
            return error is Broken
        }
        #expect(mock.activeCount == 0 && mock.cancelledCount == 0)
    }

    @Test("Everything asked is remembered, in order", .rule("D9"))
    func record() async throws {
        mock.answer(nil, "**", with: .status(.ok))
        let folder = try Folder()
        let file = try folder.file("body.txt", "file")
        _ = try await mock.ask(
            .post, "/a%20b/c%2Fd?x=1&x=2&y", headers: ["X-Name": "value"],
            body: HTTPBody([.data(Data("in ".utf8)), .file(file)]))
        _ = try await mock.ask(.get, "/second")
        let first = try #require(mock.requests.first)
        #expect(mock.requests.map(\.path) == ["/a b/c/d", "/second"])
        #expect(first.method == .post && first.headers["x-name"] == "value")
        #expect(first.queryItems.map { "\($0.name)=\($0.value ?? "nil")" } == ["x=1", "x=2", "y=nil"])
        #expect(first.body == Data("in file".utf8))
    }

    @Test("A body file that is not there fails as it would with a network")
    func missingFile() async throws {
        mock.answer(nil, "/", with: .status(.ok))
        let file = try Folder().url.appendingPathComponent("nothing")
        await #expect { try await mock.ask(.post, "/", body: .file(file)) } throws: { error in
            guard case .defect(.invalidBody) = error as? HTTPError else { return false }
            return true
        }
    }

    @Test("A body longer than the limit is an error; one of its length is not")
    func limit() async throws {
        mock.answer(nil, "/", with: .pieces([Data("abc".utf8), Data("def".utf8)]))
        #expect(try await mock.ask(.get, "/", limit: 6).body.count == 6)
        await #expect { try await mock.ask(.get, "/", limit: 5) } throws: { error in
            guard case .bodyTooLarge(limit: 5) = error as? HTTPError else { return false }
            return true
        }
        await mock.idle()
    }

    @Test("A body that breaks off is an error after its pieces")
    func brokenOff() async throws {
        mock.answer(nil, "/", with: .pieces([Data("abc".utf8)], endingWith: URLError(.networkConnectionLost)))
        let answer = try await mock.stream(TransportRequest(method: .get, url: .of("https://a.example/")), report: nil)
        var pieces: [Data] = []
        await #expect(throws: HTTPError.self) { for try await piece in answer.body { pieces.append(piece) } }
        #expect(pieces == [Data("abc".utf8)])
    }

    @Test("A HEAD request is answered without a body")
    func head() async throws {
        mock.answer(nil, "/", with: .text("body"))
        let answer = try await mock.ask(.head, "/")
        #expect(answer.body.isEmpty && answer.headers["Content-Type"] != nil)
    }

    @Test("Progress is told for what is sent and received")
    func progress() async throws {
        mock.answer(nil, "/", with: .text("four"))
        let told = Recorder<TransferProgress>()
        _ = try await mock.ask(.post, "/", body: .data(Data("ab".utf8))) { told.append($0) }
        #expect(
            told.all == [
                TransferProgress(sent: 2, expectedToSend: 2),
                TransferProgress(sent: 2, expectedToSend: 2, received: 4, expectedToReceive: 4),
            ])
    }

    @Test("Many threads may script and ask at once")
    func manyThreads() async throws {
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<200 {
                group.addTask { [mock] in
                    mock.answer(nil, PathPattern("/\(number)"), with: .text("\(number)"))
                    return try? await mock.text("/\(number)")
                }
            }
            var texts: Set<String?> = []
            for await text in group { texts.insert(text) }
            #expect(texts == Set((0..<200).map { "\($0)" }))
        }
        #expect(mock.requests.count == 200 && mock.activeCount == 0)
    }
}

struct Broken: Error {}
