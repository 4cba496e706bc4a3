import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("An entity")
struct EntityTests {
    @Test("Header names are small, however they are written and whenever they are set")
    func names() {
        var entity = Entity(content: 1, headers: ["ETag": "a", "X-Total": "3"])
        #expect(entity.headers == ["etag": "a", "x-total": "3"])
        #expect(entity.header(forKey: "X-TOTAL") == "3")
        #expect(entity.header(forKey: "x-other") == nil)
        entity.headers["X-Total"] = "4"
        entity.headers["ETAG"] = "b"
        #expect(entity.header(forKey: "x-total") == "3, 4" || entity.header(forKey: "x-total") == "4, 3")
        entity.headers = ["ETAG": "b"]
        #expect(entity.etag == "b")
    }

    @Test("Values of names that differ in case alone are joined")
    func doubledNames() {
        #expect(Entity(content: 1, headers: ["Link": "b", "LINK": "a"]).headers == ["link": "a, b"])
    }

    @Test("An answer gives headers, type, charset and status")
    func answered() throws {
        let response = try answer(201, ["Content-Type": "Text/Plain; Charset=\"utf-8\"", "ETag": "\"a\""])
        let entity = Entity(response: response, content: "x")
        #expect(entity.contentType == "Text/Plain; Charset=\"utf-8\"")
        #expect(entity.charset == "utf-8")
        #expect(entity.etag == "\"a\"")
        #expect(entity.statusCode == 201)
    }

    @Test("Without an answer, or a type in it, the content is a stream of bytes")
    func unanswered() {
        let entity = Entity(response: nil, content: 1)
        #expect(entity.contentType == "application/octet-stream")
        #expect(entity.charset == nil)
        #expect(entity.headers.isEmpty)
    }

    @Test("The content type that is given wins over one among the headers, a charset over that of the type")
    func precedence() {
        let entity = Entity(
            content: 1, contentType: "text/html; charset=utf-8", charset: "ascii", headers: ["CONTENT-TYPE": "a/b"])
        #expect(entity.contentType == "text/html; charset=utf-8")
        #expect(entity.charset == "ascii")
        #expect(Entity(content: 1, headers: ["Content-Type": "a/b; charset=latin1"]).charset == "latin1")
    }

    @Test("A content as another type keeps headers, charset, time and status")
    func retyped() throws {
        var entity = Entity<any Sendable>(response: try answer(203, ["ETag": "a"]), content: "text")
        entity.timestamp = 17
        entity.charset = "utf-8"
        let text: Entity<String> = try #require(entity.withContentRetyped())
        #expect(text.content == "text")
        #expect(text.headers == entity.headers)
        #expect(text.charset == "utf-8")
        #expect(text.timestamp == 17)
        #expect(text.statusCode == 203)
        #expect(entity.withContentRetyped() as Entity<Int>? == nil)
    }

    @Test("An entity that is no longer the server's has nothing to ask the server with, and no age of the server's")
    func version() {
        var entity = Entity(
            content: 1, headers: ["ETag": "a", "Last-Modified": "yesterday", "Cache-Control": "max-age=9", "X": "y"])
        #expect(entity.lastModified == "yesterday" && entity.freshFor == 9)
        entity.forgetVersion()
        #expect(entity.headers == ["x": "y"])
    }

    @Test("What is printed holds neither content nor header values")
    func description() {
        let headers = ["Set-Cookie": "secret"]
        let entity = Entity<any Sendable>(content: "secret", contentType: "text/plain", headers: headers)
        let info = ResponseInfo(response: .success(entity))
        for text in ["\(entity)", String(reflecting: entity), "\(info.response)", "\(info)"] {
            #expect(!text.contains("secret"))
            #expect(text.contains("String"))
        }
    }
}
