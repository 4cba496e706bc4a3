import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Path patterns")
struct PathPatternTests {
    let post: [PathComponent] = [.constant("posts"), .wildcard(type: .integer)]
    let tag: [PathComponent] = [.constant("tags"), .wildcard(type: .string)]

    @Test("There is a value for each component, constants included")
    func values() throws {
        let url = try URL.of("https://example.com/posts/14321431134124?test=value#top")
        #expect(url.pathValues(matching: post) == [.string("posts"), .integer(14_321_431_134_124)])
        #expect(
            url.pathValues(matching: [.constant("posts"), .wildcard(type: .string)])
                == [.string("posts"), .string("14321431134124")])
        #expect(url.integerValue(atIndex: 1, matching: post) == 14_321_431_134_124)
        #expect(url.stringValue(atIndex: 0, matching: post) == "posts")
    }

    @Test("An address without a server has a path all the same", arguments: ["posts/7", "/posts/7"])
    func relative(_ address: String) throws {
        #expect(try URL.of(address).integerValue(atIndex: 1, matching: post) == 7)
    }

    @Test(
        "Slashes at the end and doubled ones do not count",
        arguments: ["/posts/7/", "//posts/7", "/posts//7", "/posts/7//?a=/b/"])
    func slashes(_ path: String) throws {
        #expect(try URL.of("https://example.com\(path)").pathMatches(pattern: post))
    }

    @Test(
        "A path of other components does not match",
        arguments: [
            "/posts", "/posts/7/8", "/posts/seven", "/posts/7.0", "/posts/+7", "/posts/99999999999999999999",
            "/Posts/7",
            "/users/7", "/",
        ])
    func mismatch(_ path: String) throws {
        let url = try URL.of("https://example.com\(path)")
        #expect(!url.pathMatches(pattern: post))
        #expect(url.integerValue(atIndex: 1, matching: post) == nil)
    }

    @Test("Components are compared and given decoded; an encoded slash parts nothing")
    func decoding() throws {
        let url = try URL.of("https://example.com/tags/caf%C3%A9%20%2F%20bar")
        #expect(url.stringValue(atIndex: 1, matching: tag) == "café / bar")
        #expect(url.pathMatches(pattern: [.constant("tags"), .constant("café / bar")]))
        #expect(try !URL.of("https://example.com/tags/%FF").pathMatches(pattern: tag))
    }

    @Test("The empty pattern is the root's")
    func root() throws {
        #expect(try URL.of("https://example.com").pathMatches(pattern: []))
        #expect(try URL.of("https://example.com/").pathMatches(pattern: []))
        #expect(try !URL.of("https://example.com/posts").pathMatches(pattern: []))
    }

    @Test("A negative number is a number")
    func negative() throws {
        #expect(try URL.of("https://example.com/posts/-7").integerValue(atIndex: 1, matching: post) == -7)
    }

    @Test("an index out of range gives nil", .rule("PiuPiu N13"), arguments: [-1, 2, Int.max, Int.min])
    func outOfRange(_ index: Int) throws {
        let url = try URL.of("https://example.com/posts/7")
        #expect(url.integerValue(atIndex: index, matching: post) == nil)
        #expect(url.stringValue(atIndex: index, matching: post) == nil)
        #expect(URLRequest(url: url).integerValue(atIndex: index, matching: post) == nil)
    }

    @Test("A number is no text, and a text no number")
    func types() throws {
        let url = try URL.of("https://example.com/posts/7")
        #expect(url.stringValue(atIndex: 1, matching: post) == nil)
        #expect(url.integerValue(atIndex: 0, matching: post) == nil)
    }

    @Test("A URLRequest is asked as its address is")
    func request() throws {
        let request = URLRequest(url: try .of("https://example.com/posts/7"))
        #expect(request.pathMatches(pattern: post) && !request.pathMatches(pattern: tag))
        #expect(request.pathValues(matching: post) == [.string("posts"), .integer(7)])
        #expect(request.integerValue(atIndex: 1, matching: post) == 7)
        #expect(request.stringValue(atIndex: 0, matching: post) == "posts")
    }

    @Test("In a string, names stand for components, and ** for all that are left")
    func strings() throws {
        let url = try URL.of("https://example.com/users/7/posts/x%20y")
        #expect(PathPattern("/users/:id/posts/:post").values(in: url)?["post"] == "x y")
        #expect(PathPattern("users/:id/*/*/").values(in: url)?.integer("id") == 7)
        let rest = try #require(PathPattern("/users/**").values(in: url))
        #expect(rest.all == [.string("users"), .string("7"), .string("posts"), .string("x y")])
        #expect(rest["id"] == nil && rest.integer("id") == nil && rest[4] == nil && rest[1]?.integer == 7)
        #expect(PathPattern("/users/7/posts/x y/**").values(in: url) != nil)
        #expect(PathPattern("/users/:id").values(in: url) == nil)
        #expect(PathPattern("/users/:a/:b/:c/:d/**").values(in: url) == nil)
    }
}
