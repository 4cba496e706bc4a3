import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Something of the program's with content, as the documentation of `TypedContentAccessors` has it.
private struct Doorknob: TypedContentAccessors {
    var entityForTypedContentAccessors: Entity<Sendable>?
}

private struct Turn: Equatable {
    let degrees: Int
}

extension TypedContentAccessors {
    fileprivate var turn: Turn { typedContent(ifNone: Turn(degrees: 0)) }
}

@Suite("Siesta: entities")
struct EntityTests {
    private let head = HTTPURLResponse(
        url: URL(fileURLWithPath: "/"), statusCode: 200, httpVersion: "HTTP/1.1",
        headerFields: ["Content-Type": "text/plain; charset=utf-8", "ETag": "v1", "X-Own": "1"])

    @Test("Entity(response:content:)")
    func ofResponse() {
        let entity = Entity(response: head, content: "text")
        #expect(entity.content == "text")
        #expect(entity.contentType == "text/plain; charset=utf-8")
        #expect(entity.charset == "utf-8")
        #expect(entity.etag == "v1")
        #expect(entity.header(forKey: "x-OWN") == "1")
        #expect(entity.headers["x-own"] == "1")
        #expect(Entity(response: nil, content: 7).contentType == "application/octet-stream")
    }

    @Test("Entity(content:contentType:charset:headers:): each argument left out and given")
    func ofContentType() {
        #expect(Entity(content: 1, contentType: "a/b").contentType == "a/b")
        #expect(Entity(content: 1, contentType: "a/b").charset == nil)
        #expect(Entity(content: 1, contentType: "a/b", charset: "ascii").charset == "ascii")
        #expect(Entity(content: 1, contentType: "a/b", headers: ["ETag": "1"]).etag == "1")
        let all = Entity<Int>(content: 1, contentType: "a/b", charset: "ascii", headers: ["ETag": "1"])
        #expect(all.headers == ["content-type": "a/b", "etag": "1"])
    }

    @Test("Entity(content:charset:headers:timestamp:): each argument left out and given")
    func ofHeaders() {
        let plain = Entity(content: "a", headers: ["Content-Type": "a/b"])
        #expect(abs(plain.timestamp - Date.timeIntervalSinceReferenceDate) < 60)
        #expect(Entity(content: "a", charset: "ascii", headers: [:]).charset == "ascii")
        #expect(Entity(content: "a", headers: [:], timestamp: 5).timestamp == 5)
        #expect(
            Entity(content: "a", charset: nil, headers: [:], timestamp: nil).contentType == "application/octet-stream")
    }

    @Test("what can be changed in an entity")
    func changing() {
        var entity = Entity(content: "a", headers: [:], timestamp: 5)
        entity.content = "b"
        entity.charset = "utf-8"
        entity.headers["X-Own"] = "1"
        #expect(entity.header(forKey: "x-own") == "1")
        entity.timestamp = 6
        #expect(entity.timestamp == 6)
        entity.touch()
        #expect(entity.timestamp > 6)
        #expect([entity.content, entity.charset] == ["b", "utf-8"])
    }

    @Test("withContentRetyped()")
    func retyping() {
        let entity = Entity<Any>(content: "a", contentType: "text/plain")
        let text: Entity<String>? = entity.withContentRetyped()
        #expect(text?.content == "a")
        #expect(text?.contentType == "text/plain")
        let number: Entity<Int>? = entity.withContentRetyped()
        #expect(number == nil)
    }

    @Test("typedContent and its kin, of an entity")
    func accessors() {
        let text = Entity<Any>(content: "a", contentType: "text/plain")
        #expect(text.text == "a")
        #expect(text.jsonDict.isEmpty)
        #expect(text.jsonArray.isEmpty)
        #expect(text.typedContent(ifNone: "none") == "a")
        #expect(text.typedContent(ifNone: 3) == 3)
        let number: Int? = text.typedContent(ifNone: nil)
        #expect(number == nil)
        let same: String? = text.typedContent()
        #expect(same == "a")
        #expect(text.entityForTypedContentAccessors?.text == "a")
        let json = Entity<Any>(content: ["a": [1, 2]] as [String: Any], contentType: "application/json")
        #expect(json.jsonDict["a"] as? [Int] == [1, 2])
    }

    @Test("TypedContentAccessors: of a type of one's own, and with an accessor of one's own")
    func ownAccessors() {
        let knob = Doorknob(entityForTypedContentAccessors: Entity(content: Turn(degrees: 90), contentType: "a/b"))
        #expect(knob.turn == Turn(degrees: 90))
        #expect(Doorknob(entityForTypedContentAccessors: nil).turn == Turn(degrees: 0))
        #expect(Entity<Any>(content: "a", contentType: "text/plain").turn == Turn(degrees: 0))
    }
}
