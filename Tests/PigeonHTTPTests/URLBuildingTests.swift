import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The address of a request")
struct URLBuildingTests {
    @Test(
        "the base URL's path is kept, with one slash between it and the request's", .rule("D5", "PiuPiu P8"),
        arguments: [
            ("https://h/api/v1", "/posts", "https://h/api/v1/posts"),
            ("https://h/api/v1/", "/posts", "https://h/api/v1/posts"),
            ("https://h/api/v1/", "posts", "https://h/api/v1/posts"),
            ("https://h/api/v1", "posts", "https://h/api/v1/posts"),
            ("https://h", "/posts", "https://h/posts"),
            ("https://h", "posts/", "https://h/posts/"),
            ("https://h/", "", "https://h/"),
            ("https://h", "", "https://h/"),
            ("https://h/api", "", "https://h/api"),
            ("https://h/api", "/", "https://h/api/"),
            ("https://h", "//x", "https://h//x"),
        ])
    func joining(base: String, path: String, expected: String) throws {
        #expect(try address(base, path) == expected)
    }

    @Test("Host, port, user and IPv6 brackets are kept; the scheme is written small; a fragment is dropped")
    func parts() throws {
        #expect(try address("http://127.0.0.1:8080#top", "/a") == "http://127.0.0.1:8080/a")
        #expect(try address("HTTPS://me:word@h:1/x?k=v#f", "a") == "https://me:word@h:1/x/a?k=v")
        #expect(try address("http://[::1]:80/x", "a") == "http://[::1]:80/x/a")
        #expect(try address("https://h/?at=@&c=:", "/a") == "https://h/a?at=@&c=:")
    }

    @Test("the base URL's query is kept and added to; without any there is no question mark", .rule("D5", "PiuPiu P8"))
    func query() throws {
        let items = [URLQueryItem(name: "page", value: "2"), URLQueryItem(name: "flag", value: nil)]
        #expect(try address("https://h/x?key=1", "/a", items) == "https://h/x/a?key=1&page=2&flag")
        #expect(try address("https://h", "/a", items) == "https://h/a?page=2&flag")
        #expect(try address("https://h/x?key=1", "/a") == "https://h/x/a?key=1")
        #expect(try address("https://h?", "/a") == "https://h/a")
        #expect(try address("https://h", "/a", [URLQueryItem(name: "", value: nil)]) == "https://h/a")
        #expect(try address("https://h", "/a", [URLQueryItem(name: "b", value: "")]) == "https://h/a?b=")
    }

    @Test("Names and values of a query are encoded, \"+\" and \";\" too, so that each arrives as it was")
    func encodedQuery() throws {
        let items = [URLQueryItem(name: "a&b=", value: "c++ & d;e=f#ü\r\n")]
        #expect(
            try address("https://h", "/", items) == "https://h/?a%26b%3D=c%2B%2B%20%26%20d%3Be%3Df%23%C3%BC%0D%0A")
    }

    @Test("A path is plain text, encoded as URLComponents encodes it", arguments: UInt8(0x20)..<0x7F)
    func encodedPath(byte: UInt8) throws {
        let path = "/x" + String(UnicodeScalar(byte))
        var components = URLComponents()
        components.path = path
        #expect(try address("https://h", path) == "https://h" + components.percentEncodedPath)
    }

    @Test("Letters beyond ASCII are encoded as UTF-8")
    func unicodePath() throws {
        #expect(try address("https://h", "/straße/日本") == "https://h/stra%C3%9Fe/%E6%97%A5%E6%9C%AC")
    }

    @Test("A control character in a path is refused", arguments: ["/a\r\nb", "/a\nb", "\0", "/\u{7F}", "/a\tb"])
    func controls(path: String) {
        #expect {
            try address("https://h", path)
        } throws: { error in
            guard case .invalidURL(AddressError.invalidPath(path)) = error as? RequestError else { return false }
            return !"\(error)".utf8.contains { $0 < 0x20 }
        }
    }

    @Test(
        "a path that would lead out of the base URL is refused", .rule("H15"),
        arguments: ["..", "../a", "/a/../b", "a/..", "//.."])
    func up(path: String) {
        #expect { try address("https://h/api", path) } throws: { "\($0)".contains("a component \"..\"") }
    }

    @Test(
        "Dots that are no component of a path are plain text",
        arguments: ["/a..b", "/...", "/.a", "/a./b", "/%2E%2E/a"])
    func dots(path: String) throws {
        #expect(try address("https://h", path) == "https://h" + path.replacingOccurrences(of: "%", with: "%25"))
    }

    @Test(
        "a query in a path is refused, and not shown", .rule("H15"),
        arguments: ["/x?token=hush", "?token=hush&a", "/x?a&b=hush"])
    func queryInPath(path: String) throws {
        #expect {
            try address("https://h", path)
        } throws: { error in
            "\(error)".contains("has a query; use queryItems") && !"\(error)".contains("hush")
        }
        for mark in ["%3F", "%3f", "%253f"] {
            let url = try #require(URL(string: "https://me:hu%3Fsh@h/x\(mark)token=hush"))
            let answer = Answer(.notFound, request: TransportRequest(method: .get, url: url))
            let error = ErrorResponse(data: answer.data, response: answer, error: .notFound(cause: nil))
            #expect("\(HTTPError.status(error))" == "the server answered 404 (to GET https://h/x)")
        }
    }

    @Test(
        "A base URL without HTTP's scheme or without a host is refused, by its name",
        arguments: [
            "h/api", "/api", "ftp://h/x", "file:///x", "https:", "https:///x", "http://:80/x", "https://me:word@/x",
            "mailto:me@h",
        ])
    func badBase(text: String) throws {
        let base = try #require(URL(string: text))
        #expect {
            try FixedServer(base).url(from: BasicRequest(method: .get, path: "/a"))
        } throws: { error in
            guard case .invalidURL(AddressError.invalidBaseURL) = error as? RequestError else { return false }
            return !"\(error)".contains("word")
        }
    }

    @Test("a missing base URL is told as such, not inside of another error", .rule("PiuPiu P9"))
    func missingBase() {
        #expect {
            try FixedServer(nil).url(from: BasicRequest(method: .get, path: "/a"))
        } throws: { error in
            if case .missingURL = error as? RequestError { true } else { false }
        }
    }

    @Test("A base URL relative to another is resolved first")
    func relativeBase() throws {
        let base = URL(string: "v2/", relativeTo: URL(string: "https://h/api/"))
        let url = try FixedServer(base).url(from: BasicRequest(method: .get, path: "a"))
        #expect(url.absoluteString == "https://h/api/v2/a")
    }

    @Test("The base URL is asked for each time")
    func dynamicBase() throws {
        let server = Environments()
        let request = BasicRequest(method: .get, path: "/a")
        #expect(try server.url(from: request).host == "one")
        #expect(try server.url(from: request).host == "two")
    }

    private func address(_ base: String, _ path: String, _ items: [URLQueryItem] = []) throws -> String {
        let request = BasicRequest(method: .get, path: path, queryItems: items)
        return try FixedServer(URL(string: base)).url(from: request).absoluteString
    }
}

private final class Environments: ServerProvider {
    private let names = Locked(["two", "one"])
    var baseURL: URL? { names.withLock { URL(string: "https://\($0.removeLast())") } }
}
