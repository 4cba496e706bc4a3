import Foundation
import PigeonHTTP
import TestSupport
import Testing

@Suite("A path with a query in a literal")
struct RequestTargetTests {
    /// A value with each separator of an address.
    private let hostile = "a/b?c&d#e%+"

    @Test(
        "the first question mark begins the query, \"&\" separates items, and \"=\" ends a name", .rule("D10"),
        arguments: [
            ("/users", "https://h/v1/users"), ("/users?page=2", "https://h/v1/users?page=2"),
            ("users?page=2&q=a b", "https://h/v1/users?page=2&q=a%20b"), ("?page=2", "https://h/v1?page=2"),
            ("/users?flag", "https://h/v1/users?flag"), ("/users?flag=", "https://h/v1/users?flag="),
            ("/users?flag&page=2", "https://h/v1/users?flag&page=2"), ("/users?=2", "https://h/v1/users?=2"),
            ("/users?q=a=b?c", "https://h/v1/users?q=a%3Db?c"), ("/users?a=1&a=2", "https://h/v1/users?a=1&a=2"),
            ("/a&b=c?d=e", "https://h/v1/a&b=c?d=e"),
        ] as [(RequestTarget, String)])
    func separators(target: RequestTarget, address: String) throws {
        #expect(try self.address(of: .get(target)) == address)
    }

    @Test(
        "an empty query, or an empty item, is none", .rule("D10"),
        arguments: ["/users?", "/users?&", "/users?&&", "/users"] as [RequestTarget])
    func nothing(target: RequestTarget) {
        #expect(target == RequestTarget(path: "/users"))
    }

    @Test(
        "other text of a literal is plain, percent signs and fragments too", .rule("D10"),
        arguments: [
            ("/a%20b?c=%20", "https://h/v1/a%2520b?c=%2520"), ("/a#b?c=d#e", "https://h/v1/a%23b?c=d%23e"),
            ("/a+b?c=d+e", "https://h/v1/a+b?c=d%2Be"), ("/ü?ü=ü", "https://h/v1/%C3%BC?%C3%BC=%C3%BC"),
            ("/a?\u{301}=b", "https://h/v1/a?%CC%81=b"),
        ] as [(RequestTarget, String)])
    func plainText(target: RequestTarget, address: String) throws {
        #expect(try self.address(of: .get(target)) == address)
    }

    @Test("an interpolated value is plain text in the path, and one value in the query", .rule("D10"))
    func values() throws {
        let request = BasicRequest.get("/users/\(hostile)/posts?q=\(hostile)&page=\(2)")
        #expect(request.path == "/users/a/b?c&d#e%+/posts")
        #expect(request.queryItems.map(\.name) == ["q", "page"])
        #expect(request.queryItems.map(\.value) == [hostile, "2"])
        let query = "q=a/b?c%26d%23e%25%2B&page=2"
        #expect(try address(of: request) == "https://h/v1/users/a/b%3Fc&d%23e%25+/posts?\(query)")
    }

    @Test("a value can be a part of a name or of a value, and the whole of the path", .rule("D10"))
    func partsOfItems() {
        let (base, field) = ("/users", "name=")
        let target: RequestTarget = "\(base)?filter[\(field)]=^\(hostile)$&\(field)&page=\(2)0"
        #expect(target.path == "/users")
        #expect(target.queryItems.map(\.name) == ["filter[name=]", "name=", "page"])
        #expect(target.queryItems.map(\.value) == ["^\(hostile)$", nil, "20"])
    }

    @Test("an interpolated value begins no query, so a query in it is refused as that of a String is", .rule("D10"))
    func queryInValue() {
        let path = "/users?token=hush"
        for request in [BasicRequest.get("\(path)"), .get(path), .get("\(path)&a=1")] {
            #expect(request.queryItems.isEmpty)
            #expect(throws: RequestError.self) { try address(of: request) }
        }
    }

    @Test("a path in a variable is plain text", .rule("D10"))
    func variables() throws {
        let path = "/users?page"
        let joined = BasicRequest.get("/users" + "?page")
        let requests: [BasicRequest] = [
            .get(path), .head(path), .delete(path), .post(path, json: 1), .put(path, json: 1), .patch(path, json: 1),
            BasicRequest(method: .get, path: path), joined,
        ]
        for request in requests {
            #expect(request.path == path && request.queryItems.isEmpty)
            #expect(try address(of: request) == "https://h/v1/users%3Fpage")
        }
        #expect(MultiPartRequest(method: .post, path: path).path == path)
    }

    @Test("each short form reads a literal", .rule("D10"))
    func shortForms() {
        let requests: [BasicRequest] = [
            .get("/a?b=1"), .head("/a?b=1"), .delete("/a?b=1"), .post("/a?b=1", json: 1), .put("/a?b=1", json: 1),
            .patch("/a?b=1", json: 1), BasicRequest(method: .options, path: "/a?b=1"),
        ]
        #expect(requests.map(\.method) == [.get, .head, .delete, .post, .put, .patch, .options])
        for request in requests {
            #expect(request.path == "/a" && request.queryItems == [URLQueryItem(name: "b", value: "1")])
        }
        let form = MultiPartRequest(method: .post, path: "/a?b=1", query: ["c": 2])
        #expect(form.path == "/a" && form.queryItems.map(\.name) == ["b", "c"])
    }

    @Test("Values follow the literal's own, in order; other items follow them; nil is left out")
    func queryValues() throws {
        let (text, none) = ("c++ & d", nil as String?)
        let last = [URLQueryItem(name: "last", value: nil)]
        let request = BasicRequest.get(
            "/a?first=1", query: ["page": 2, "q": text, "no": none, "only": true, "x": 1.5], queryItems: last)
        let query = "first=1&page=2&q=c%2B%2B%20%26%20d&only=true&x=1.5&last"
        #expect(try address(of: request) == "https://h/v1/a?\(query)")
        let path = "/a?b"
        #expect(try address(of: .put(path, json: 1, query: ["page": 2])) == "https://h/v1/a%3Fb?page=2")
    }

    @Test("A value that is nil can have another text in its place")
    func defaultText() {
        let (one, none) = (1 as Int?, nil as Int?)
        let target: RequestTarget = "/users/\(one, default: "me")?page=\(none, default: "last")"
        #expect(target.path == "/users/1")
        #expect(target.queryItems == [URLQueryItem(name: "page", value: "last")])
    }

    @Test("a value that is one component keeps its slashes, and is a plain value in the query", .rule("D16", "K27"))
    func components() throws {
        let project = "group/project"
        let request = BasicRequest.get(
            "/projects/\(component: project)/issues/\(component: 7)?in=\(component: project)")
        #expect(try address(of: request) == "https://h/v1/projects/group%2Fproject/issues/7?in=group/project")
        #expect("\(request)" == "GET /projects/group%2Fproject/issues/7")
        let hostile = BasicRequest.get("/a/\(component: hostile)/\(hostile)")
        #expect(try address(of: hostile) == "https://h/v1/a/a%2Fb%3Fc&d%23e%25+/a/b%3Fc&d%23e%25+")
        let target = RequestTarget(components: ["projects", project, "ü/%2F"])
        #expect(try address(of: .get(target)) == "https://h/v1/projects/group%2Fproject/%C3%BC%2F%252F")
        let url = try FixedServer(URL(string: "https://h")).url(from: BasicRequest.get(target))
        #expect(
            url.pathValues(matching: [.constant("projects"), .wildcard(type: .string), .constant("ü/%2F")])?[1]
                == .string(project))
    }

    @Test(
        "a component cannot lead out of the base URL, since some servers take its slashes for separators",
        .rule("D16", "K27"),
        arguments: ["..", "../admin", "a/../../admin", "a/.."])
    func leavingComponents(value: String) {
        let request = BasicRequest.get("/files/\(component: value)")
        let error = #expect(throws: RequestError.self) { try address(of: request) }
        #expect(error.map { "\($0)" }?.contains("would lead out") == true)
    }

    private func address(of request: BasicRequest) throws -> String {
        try FixedServer(URL(string: "https://h/v1")).url(from: request).absoluteString
    }
}
