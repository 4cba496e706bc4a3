import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("Transformers for some types of content")
struct ContentTypeTests {
    private func matches(_ pattern: String, _ type: String) async -> Bool {
        var pipeline = Pipeline()
        let mark = Transformer { _ in .success(Entity(content: true, headers: [:])) }
        pipeline[.parsing].add(mark, contentTypes: ["x/never", pattern])
        return await pipeline.process(.success(.body("", type))).response.content() == true
    }

    @Test(
        "a pattern is for the whole type, whatever its case", .rule("Siesta S16"),
        arguments: [
            ("*/json", "application/json", true), ("*/json", "Application/JSON", true), ("*/JSON", "a/json", true),
            ("*/json", "application/jsonp", false), ("*/json", "application/json-seq", false),
            ("*/*+json", "application/vnd.api+json", true), ("a/b+json", "xx;a/b+json", false),
            ("a|b", "a", false), ("text/*", "text/plain", true), ("text/*", "context/plain", false),
            ("text/*", "text/a/b", false), ("a.b/c", "axb/c", false), ("*/*", "octets", false), ("*", "octets", true),
            ("a/?", "a/b", false), ("a/?", "a/?", true), ("**/json", "a/json", true), ("**", "a/b", false),
        ])
    func patterns(pattern: String, type: String, isMatch: Bool) async {
        #expect(await matches(pattern, type) == isMatch)
    }

    @Test(
        "parameters of a type do not count, in an answer or in a pattern", .rule("Siesta 33"),
        arguments: [
            "application/json; charset=utf-8", "application/json;v=1", " application/json ; a=b", "application/json;",
        ])
    func parameters(type: String) async {
        #expect(await matches("*/json", type))
        #expect(await matches("*/json; q=1", type))
        #expect(await !matches("*/xml", type))
    }

    @Test("An error is looked at by the type of its body, one without a body not at all")
    func errors() async {
        var pipeline = Pipeline()
        let mark = Transformer { _ in .success(Entity(content: true, headers: [:])) }
        pipeline[.parsing].add(mark, contentTypes: ["*/json"])
        let withBody = RequestError(userMessage: "", cause: nil, entity: .body("{}"))
        #expect(await pipeline.process(.failure(withBody)).response.content() == true)
        let bare = RequestError(userMessage: "", cause: nil)
        #expect(await pipeline.process(.failure(bare)).response.error != nil)
    }
}
