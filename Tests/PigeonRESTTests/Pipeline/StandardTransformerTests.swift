import Foundation
import PigeonREST
import Testing

@Suite("Transformers that come with their types of content")
struct StandardTransformerTests {
    private func process(_ text: String, _ type: String, _ transformers: [StandardTransformer]) async -> Response {
        var pipeline = Pipeline()
        for transformer in transformers { pipeline.add(transformer) }
        return await pipeline.process(.success(.body(text, type))).response
    }

    @Test("JSON, text and pictures are told by their types; the rest stays bytes")
    func types() async {
        let standard: [StandardTransformer] = [.json, .text, .image]
        for type in ["application/json", "application/vnd.api+json; v=1"] {
            #expect(await process(#"{"a":1}"#, type, standard).content() == ["a": 1])
        }
        #expect(await process("{}", "text/html", standard).content() == "{}")
        #expect(await process("{}", "application/xml", standard).content() == Data("{}".utf8))
        #expect(await process("{}", "image/png", standard).error?.cause is RequestError.Cause.UnparsableImage)
    }

    @Test("One that is not added does nothing")
    func none() async {
        #expect(await process("{}", "application/json", [.text, .image]).content() == Data("{}".utf8))
    }

    @Test("One of one's own has its stage, its types and its name")
    func own() async {
        let upper = StandardTransformer(
            name: "upper", stage: .cleanup, contentTypes: ["text/shout"],
            transformer: ResponseContentTransformer { (entity: Entity<String>) in entity.content.uppercased() })
        #expect(await process("a", "text/shout", [upper, .text]).content() == "A")
        #expect(await process("a", "text/plain", [upper, .text]).content() == "a")
        #expect("\(upper)" == "upper")
    }
}
