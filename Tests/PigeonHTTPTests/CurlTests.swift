import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A request as a curl command")
struct CurlTests {
    @Test("A plain request is a short command")
    func plain() {
        #expect(request(.get, "https://h/a?b=1").curl() == "curl 'https://h/a?b=1'")
        #expect(request(.get, "https://h/a").curl() == "curl https://h/a")
        #expect(request(.head, "https://h/a").curl() == "curl --head https://h/a")
        #expect(request(.delete, "https://h/a").curl() == "curl -X DELETE https://h/a")
    }

    @Test("Headers are written in their order; an empty one is told in curl's way")
    func headers() {
        let command = request(.get, "https://h", ["Accept": "*/*", "A": "", "B": "it's"]).curl()
        #expect(command == #"curl https://h -H 'Accept: */*' -H 'A;' -H 'B: it'\''s'"#)
    }

    @Test(
        "Secret headers are held back unless they are asked for",
        arguments: [
            "Authorization", "PROXY-AUTHORIZATION", "Cookie", "X-Api-Key", "X-Auth-Token", "api_secret", "X-CSRF-Token",
            "X-Amz-Security-Token", "X-Session-Id", "Set-Cookie",
        ])
    func secretHeaders(name: String) {
        let request = request(.get, "https://h", [name: "hush"])
        #expect(request.curl() == "curl https://h -H '\(name): <redacted>'")
        #expect(request.curl(showing: .secrets) == "curl https://h -H '\(name): hush'")
    }

    @Test("User, password and secret items of the address are held back unless they are asked for")
    func secretAddress() {
        let address = "https://me:hush@h/a?page=2&access_token=hush&API%5FKEY=hush;password=hush&code=hush&flag"
        let request = request(.get, address)
        #expect(
            request.curl() == "curl 'https://<redacted>@h/a?page=2&access_token=<redacted>&API%5FKEY=<redacted>;"
                + "password=<redacted>&code=<redacted>&flag'")
        #expect(request.curl(showing: .secrets) == "curl '\(address)'")
    }

    @Test(
        "a query that was written into a path has no secret shown", .rule("H15"),
        arguments: [
            ("%3Ftoken=hush&a=1", "%3Ftoken=<redacted>&a=1"), ("%3fa=1;token=hush", "%3fa=1;token=<redacted>"),
            ("%253Ftoken=hush", "%253Ftoken=<redacted>"), ("%3Fa=1%26token%3Dhush", "%3Fa=<redacted>"),
            ("%3Ftoken%3Dhush%26a=1", "%3Ftoken%3D<redacted>"),
            ("%23token=hush?sig=hush&b", "%23token=<redacted>?sig=<redacted>&b"),
            ("?to=https%3A%2F%2Fg%3Ftoken%3Dhush&a=1", "?to=<redacted>&a=1"), ("?a=1%26b", "?a=1%26b"),
        ])
    func escapedQueries(query: String, expected: String) {
        let start = "https://<redacted>@h/x"
        let request = request(.get, "https://me:hu%3Fsh@h/x\(query)")
        #expect(request.curl() == "curl '\(start)\(expected)'")
        #expect(URLRequest(request).curl() == "curl '\(start)\(expected)'")
        #expect(Answer(request: request).requestDump().hasPrefix("GET \(start)\(expected)\n"))
        #expect("\(request)" == "GET https://h/x")
    }

    @Test("Where an answer leads to is shown without its secrets")
    func redirects() {
        let command = request(.get, "https://h", ["Referer": "https://me:hush@g/?token=hush&a=1"]).curl()
        #expect(command == "curl https://h -H 'Referer: https://<redacted>@g/?token=<redacted>&a=1'")
    }

    @Test("A body is counted, and shown when asked for")
    func body() {
        var request = request(.post, "https://h", ["Content-Type": "application/json"])
        request.body = .data(Data(#"{"a": "it's"}"#.utf8))
        let start = "curl -X POST https://h -H 'Content-Type: application/json'"
        #expect(request.curl() == start + " --data-raw '<13 bytes>'")
        #expect(request.curl(showing: .body) == start + #" --data-raw '{"a": "it'\''s"}'"#)
    }

    @Test("curl is kept from adding a content type of its own")
    func noContentType() {
        var request = request(.get, "https://h")
        request.body = .data(Data("@file".utf8))
        #expect(request.curl(showing: .body) == "curl -X GET https://h -H Content-Type: --data-raw @file")
    }

    @Test("Bytes that are no text are written in base 64, and a file is named")
    func binary() {
        var request = request(.put, "https://h", ["Content-Type": "image/png"])
        request.body = .data(Data([0, 0xFF]))
        #expect(
            request.curl(showing: .body)
                == "echo 'AP8=' | base64 -d | curl -X PUT https://h -H 'Content-Type: image/png' --data-binary @-")
        request.body = .file(URL(fileURLWithPath: "/a b/c"))
        #expect(
            request.curl() == "curl -X PUT https://h -H 'Content-Type: image/png' --data-binary '@/a b/c'")
        request.body = HTTPBody([.data(Data("a".utf8)), .file(URL(fileURLWithPath: "/c"))])
        #expect(request.curl(showing: .body).hasSuffix(" --data-raw '<2 pieces, files among them>'"))
    }

    @Test("What a terminal would act on is written as an escape")
    func controls() {
        var request = request(.post, "https://h", ["Content-Type": "a"])
        request.body = .data(Data("a\n\u{1B}[2J1\t'\\\r\n".utf8))
        #expect(
            request.curl(showing: .body).hasSuffix(#" --data-raw $'a\n\033[2J1\t\047\134\r\n'"#))
        request.body = .data(Data("\u{9B}2J".utf8))
        #expect(request.curl(showing: .body).hasSuffix(#" --data-raw $'\302\2332J'"#))
    }

    @Test("Brackets and dots of an address are kept from curl")
    func globbing() {
        #expect(request(.get, "http://[::1]/a").curl() == "curl --globoff 'http://[::1]/a'")
        #expect(request(.get, "https://h/a/../b").curl() == "curl --path-as-is https://h/a/../b")
    }

    @Test("what a combining mark follows is found: a secret's equals sign, a user's at sign", .rule("H1"))
    func scalars() {
        let command = request(.get, "https://h", ["Referer": "https://me:hush@\u{301}g/?token=\u{301}hush&a=1"]).curl()
        #expect(
            command
                == "curl https://h -H 'Referer: https://<redacted>@\u{301}g/?token=<redacted>&a=1'")
    }

    #if os(Linux) || os(macOS)
        @Test("bash reads each word back as it was", .rule("H1"), arguments: shellTexts + shellControls)
        func bash(text: String) throws {
            #expect(try words(of: text, by: "/bin/bash") == [text])
        }

        @Test(
            "a shell that knows nothing but single quotes reads each word without a control character back",
            .rule("H1"),
            arguments: shellTexts)
        func sh(text: String) throws {
            #expect(try words(of: text, by: "/bin/sh") == [text])
        }

        @Test("a shell that does not know $'…' runs no part of a word", .rule("H1"), arguments: shellControls)
        func escapes(text: String) throws {
            let words = try words(of: text, by: "/bin/sh")
            #expect(words.count == 1 && words.first?.hasPrefix("INJECTED") == false)
            // Without the dollar, as fish and older shells read the text, it is also one word up to its end.
            let command = try #require(try command(of: text).split(separator: "$'").last)
            #expect(!command.dropLast().contains("'") && !command.contains(#"\\"#) && !command.contains(#"\'"#))
        }

        /// Returns the command of a request whose body is a text.
        private func command(of text: String) throws -> String {
            var request = request(.post, "https://h", ["Content-Type": "a"])
            request.body = .data(Data(text.utf8))
            return request.curl(showing: .body)
        }

        /// Returns the words that a shell reads from the command of a text, including the output of further commands.
        private func words(of text: String, by shell: String) throws -> [String] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: shell)
            let command = try command(of: text)
            let start = try #require(command.range(of: "--data-raw ")?.upperBound)
            process.arguments = ["-c", "printf '%s\\0' \(command[start...])"]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let words = String(decoding: output, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
            return words.enumerated().filter { $0 < words.count - 1 || !$1.isEmpty }.map { String($1) }
        }
    #endif

    @Test("Requests, Foundation's requests and answers can all be told as a command")
    func fronts() throws {
        let server = FixedServer(URL(string: "https://h/api"))
        #expect(try server.curl(of: BasicRequest.get("/a")) == "curl https://h/api/a")
        #expect(throws: RequestError.self) { try FixedServer(nil).curl(of: BasicRequest.get("/a")) }

        var foundation = URLRequest(url: URL(string: "https://h/a#x") ?? URL(fileURLWithPath: "/"))
        foundation.httpMethod = "POST"
        foundation.setValue("hush", forHTTPHeaderField: "Authorization")
        foundation.setValue("a", forHTTPHeaderField: "Content-Type")
        foundation.httpBody = Data("a".utf8)
        let command =
            "curl -X POST https://h/a -H 'Authorization: <redacted>' -H 'Content-Type: a' --data-raw '<1 bytes>'"
        #expect(foundation.curl() == command)

        let url = try #require(foundation.url)
        let head = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        let answer = Response<Data?>(
            data: nil, httpResponse: head, urlRequest: foundation, statusCode: .ok, error: nil)
        #expect(answer.curl() == command)
        #expect(Answer(request: request(.get, "https://h/a")).curl() == "curl https://h/a")
    }

    private func request(_ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders = [:]) -> TransportRequest {
        TransportRequest(method: method, url: URL(string: url) ?? URL(fileURLWithPath: "/"), headers: headers)
    }
}

private let shellTexts = [
    "it's", "a b", "$HOME `x` \\ \"", "*?", "~", "!x", "", "x'\u{301}; touch f #", "'\u{300}",
    #"\'; echo INJECTED #"#,
    #"\"#, #"a\"#, "''",
]
private let shellControls = [
    "a\n\u{1}7'\\n", "a\t\\'; echo INJECTED #", "\t'; echo INJECTED #", "a\n", "\\\n", "\u{85}'",
]
