import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("the parameters of an address", .rule("Siesta 3"))
struct ParameterTests {
    private func with(_ query: String, _ values: [String: String?]) throws -> String? {
        try #require(URL(string: "https://h/a\(query)")).withParams(values)?.query(percentEncoded: true)
    }

    private func with(_ query: String, repeated values: [String: [String?]]) throws -> String? {
        try #require(URL(string: "https://h/a\(query)")).withParams(values)?.query(percentEncoded: true)
    }

    @Test("parameters are set, replaced and removed, and sorted by name", .rule("Siesta 3"))
    func setting() throws {
        #expect(try with("", ["b": "1"]) == "b=1")
        #expect(try with("?c=3&a=1", ["b": "2"]) == "a=1&b=2&c=3")
        #expect(try with("?a=1&b=2", ["a": "3"]) == "a=3&b=2")
        #expect(try with("?a=1&b=2", ["a": nil]) == "b=2")
        #expect(try with("?a=1", ["a": nil]) == nil)
        #expect(try with("?a=1", ["b": nil]) == "a=1")
        #expect(try with("?b&a", [:]) == "a&b")
    }

    @Test("an empty value is a parameter without =", .rule("Siesta 3"))
    func valueless() throws {
        #expect(try with("", ["foo": ""]) == "foo")
        #expect(try with("?foo=1", ["foo": ""]) == "foo")
    }

    @Test("what has a meaning in a query is escaped, a plus sign too", .rule("Siesta 3"))
    func escaping() throws {
        #expect(try with("", ["q": "a+b&c=d e#%é"]) == "q=a%2Bb%26c%3Dd%20e%23%25%C3%A9")
        #expect(try with("", ["a&b": "stars:>0"]) == "a%26b=stars:%3E0")
    }

    @Test("a parameter can have several values, or an empty one", .rule("Siesta S28"))
    func repeating() throws {
        #expect(try with("?z&a=0", repeated: ["tag": ["b", "a", "b"]]) == "a=0&tag=b&tag=a&tag=b&z")
        #expect(try with("", repeated: ["foo": [""]]) == "foo=")
        #expect(try with("", repeated: ["foo": [nil, "", "1"]]) == "foo&foo=&foo=1")
        #expect(try with("?foo=1&foo=2", repeated: ["foo": []]) == nil)
    }

    @Test("other parameters stay as they are written, repeated ones in their order", .rule("Siesta S28"))
    func untouched() throws {
        #expect(try with("?x=a+b%2fc&y=", ["z": "1"]) == "x=a+b%2fc&y=&z=1")
        #expect(try with("?t=2&t=1&s", ["a": "1"]) == "a=1&s&t=2&t=1")
        #expect(try with("?t=2&t=1", ["t": "3"]) == "t=3")
    }

    @Test("A name is the same however it is escaped")
    func escapedNames() throws {
        #expect(try with("?%66oo=1&b=2", ["foo": "3"]) == "b=2&foo=3")
    }

    @Test("All else of the address stays")
    func rest() throws {
        let url = try #require(URL(string: "https://u@h:8/a%2Fb?x=1#f"))
        #expect(url.withParams(["y": "2"])?.absoluteString == "https://u@h:8/a%2Fb?x=1&y=2#f")
    }

    @Test("The order in which parameters are set does not matter")
    func order() throws {
        let url = try #require(URL(string: "https://h/"))
        #expect(
            url.withParams(["a": "1"])?.withParams(["b": "2"]) == url.withParams(["b": "2"])?.withParams(["a": "1"]))
    }

    @Test("A parameter of a resource can have several values, or none")
    func severalValues() {
        let resource = RESTBench().resource("/users").withParam("tag", "x")
        #expect(resource.withParam("tag", values: ["a", "b"]).url.query == "tag=a&tag=b")
        #expect(resource.withParam("tag", values: []).url.query == nil)
    }
}
