import Foundation
import PigeonHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A request as it is sent")
struct TransportRequestTests {
    private let server = FixedServer(URL(string: "https://h/api"))

    @Test("Method, address, headers, body and timeout are the request's")
    func parts() throws {
        var request = BasicRequest(method: .put, path: "/a", headers: ["B": "2", "A": "1"])
        request.httpBody = Data("x".utf8)
        request.timeout = .milliseconds(1500)

        let sent = try server.transportRequest(from: request)
        #expect(sent.method == .put)
        #expect(sent.url.absoluteString == "https://h/api/a")
        #expect(sent.headers == ["A": "1", "B": "2"])
        #expect(sent.body == .data(Data("x".utf8)))
        #expect(sent.timeout == .milliseconds(1500))

        let foundation = try server.urlRequest(from: request)
        #expect(foundation.httpMethod == "PUT")
        #expect(foundation.url?.absoluteString == "https://h/api/a")
        #expect(foundation.allHTTPHeaderFields == ["A": "1", "B": "2"])
        #expect(foundation.httpBody == Data("x".utf8))
        #expect(foundation.timeoutInterval == 1.5)
    }

    @Test("A body is sent with any method, when there is one")
    func bodyOfGet() throws {
        var request = BasicRequest(method: .get, path: "/a")
        #expect(try server.urlRequest(from: request).httpBody == nil)
        request.httpBody = Data("x".utf8)
        #expect(try server.urlRequest(from: request).httpBody == Data("x".utf8))
    }

    @Test("Files of a body are read for Foundation's request; one that is missing is named")
    func files() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var request = BasicRequest(method: .post, path: "/a")
        request.body = HTTPBody([.data(Data("a ".utf8)), .file(file)])
        #expect(request.httpBody == nil)
        #expect(try server.urlRequest(from: request).httpBody == Data("a file".utf8))

        request.body = .file(file.appendingPathExtension("gone"))
        #expect {
            try server.urlRequest(from: request)
        } throws: {
            "\($0)".contains(file.lastPathComponent + ".gone")
        }
    }

    @Test(
        "A header that would become two, or is none, is refused without telling its value",
        arguments: [
            ("A", "secret\r\nB: 2"), ("A", "secret\n"), ("A", "secret\r"), ("A", "secret\0"), ("", "secret"),
            ("A B", "secret"), ("A:", "secret"), ("A\r\nB", "secret"), ("Ä", "secret"), ("A\u{7F}", "secret"),
        ])
    func headerInjection(name: String, value: String) {
        let request = BasicRequest(method: .get, path: "/a", headers: ["Accept": "*/*", name: value])
        #expect {
            try server.transportRequest(from: request)
        } throws: { error in
            guard case .defect(.invalidHeader(name)) = error as? HTTPError else { return false }
            return !"\(error)".contains("secret") && !"\(error)".utf8.contains { $0 < 0x20 }
        }
    }

    @Test("A value may be empty, and hold tabs and letters beyond ASCII")
    func headerValues() throws {
        let headers = ["A": "", "B": "x\ty", "C": "ü"]
        let request = BasicRequest(method: .get, path: "/a", headers: headers)
        #expect(try server.transportRequest(from: request).headers == HTTPHeaders(headers))
    }

    @Test("What a request says is wrong with it is thrown before anything else")
    func defect() {
        #expect {
            try FixedServer(nil).transportRequest(from: Defective())
        } throws: { error in
            guard case .defect(.invalidBody(reason: "no", cause: nil)) = error as? HTTPError else { return false }
            return true
        }
    }
}

private struct Defective: Request {
    let method = HTTPMethod.post
    let path = ""
    let queryItems: [URLQueryItem] = []
    let headers: [String: String] = [:]
    let httpBody: Data? = nil
    let defect: RequestDefect? = .invalidBody(reason: "no")
}
