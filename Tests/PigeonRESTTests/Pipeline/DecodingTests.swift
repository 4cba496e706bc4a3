import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("Decoding a model")
struct DecodingTests {
    private struct User: Codable, Sendable, Equatable {
        let name: String
        var id: Int?
        var score: Double?
    }

    private let json = #"{"name":"Ada","id":9007199254740993,"score":1.5}"#
    private let ada = User(name: "Ada", id: 9_007_199_254_740_993, score: 1.5)

    private func decode(_ text: String, _ transformers: [StandardTransformer]) async -> Response {
        var pipeline = Pipeline()
        for transformer in transformers { pipeline.add(transformer) }
        pipeline[.model].add(ResponseContentTransformer(decoding: User.self))
        return await pipeline.process(.success(.body(text))).response
    }

    @Test("A model is decoded from bytes, and from what JSON's transformer made")
    func models() async {
        #expect(await decode(json, []).content() == ada)
        #expect(await decode(json, [.json]).content() == ada)
    }

    @Test("A model is decoded from text, and is left when it is there already")
    func otherContent() {
        let transformer = ResponseContentTransformer(decoding: User.self)
        func process(_ content: any Sendable) -> Response {
            transformer.process(.success(Entity(content: content, contentType: "text/plain")))
        }
        #expect(process(json).content() == ada)
        #expect(process(ada).content() == ada)
        #expect(process(1).cause(RequestError.Cause.WrongContentType.self)?.actual is Int.Type)
        #expect(process(["a": Date()]).cause(RequestError.Cause.WrongContentType.self) != nil)
    }

    @Test("what does not decode keeps the body and says why", .rule("Siesta S22"))
    func failures() async {
        for transformers: [StandardTransformer] in [[], [.json]] {
            let error = await decode(#"{"nome":"Ada"}"#, transformers).error
            #expect(error?.cause is DecodingError)
            #expect(error?.entity?.content as? Data == Data(#"{"nome":"Ada"}"#.utf8))
        }
    }

    @Test("A decoder of one's own is used")
    func decoder() {
        struct Name: Decodable, Sendable { let firstName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let transformer = ResponseContentTransformer(decoding: Name.self, with: decoder)
        let response = transformer.process(.success(.body(#"{"first_name":"Ada"}"#)))
        #expect(response.content(Name.self)?.firstName == "Ada")
    }
}
