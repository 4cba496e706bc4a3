import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("a content transformer", .rule("Siesta 32"))
struct ContentTransformerTests {
    private struct Failure: Error {}
    private typealias Cause = RequestError.Cause

    private func process<In, Out>(
        _ content: any Sendable, _ transformer: ResponseContentTransformer<In, Out>
    ) -> Response {
        transformer.process(.success(Entity(content: content, contentType: "a/b", headers: ["etag": "e"])))
    }

    private let length = ResponseContentTransformer { (entity: Entity<String>) in entity.content.count }

    @Test("the content is transformed, all else kept", .rule("Siesta 32"))
    func transforming() {
        let response = process("four", length)
        #expect(response.content() == 4)
        #expect(response.entity?.etag == "e")
        #expect(response.entity?.contentType == "a/b")
    }

    @Test("the transformer sees the entity as it is", .rule("Siesta 32"))
    func input() {
        let transformer = ResponseContentTransformer { (entity: Entity<String>) in entity.header(forKey: "ETag") }
        #expect(process("x", transformer).content() == "e")
    }

    @Test("content of another type is an error that names both types and the transformer", .rule("Siesta 32"))
    func mismatch() throws {
        let response = process(1.5, length)
        let cause = try #require(response.cause(Cause.WrongInputTypeInTranformerPipeline.self))
        #expect(cause.expectedType is String.Type)
        #expect(cause.actualType is Double.Type)
        #expect(cause.transformer.debugDescription == "String → Int")
        #expect(response.error?.userMessage == "Cannot parse server response")
    }

    @Test("content of another type is left where the transformer says so", .rule("Siesta 32"))
    func skipping() {
        let skip = ResponseContentTransformer(onInputTypeMismatch: .skip) {
            (entity: Entity<String>) in entity.content.count
        }
        #expect(process(1.5, skip).content() == 1.5)
        let matching = ResponseContentTransformer(onInputTypeMismatch: .skipIfOutputTypeMatches) {
            (entity: Entity<String>) in entity.content.count
        }
        #expect(process(7, matching).content() == 7)
        #expect(process(1.5, matching).cause(Cause.WrongInputTypeInTranformerPipeline.self) != nil)
    }

    @Test("a nil is an error that names the transformer", .rule("Siesta 32"))
    func returningNil() throws {
        let transformer = ResponseContentTransformer { (entity: Entity<String>) in Int(entity.content) }
        #expect(process("7", transformer).content() == 7)
        let cause = try #require(process("x", transformer).cause(Cause.TransformerReturnedNil.self))
        #expect(cause.transformer is ResponseContentTransformer<String, Int>)
    }

    @Test("a thrown RequestError is told as it is, another error is its cause", .rule("Siesta 32"))
    func throwing() {
        let own = ResponseContentTransformer<String, Int> { _ in throw RequestError(userMessage: "mine", cause: nil) }
        #expect(process("x", own).error?.userMessage == "mine")
        let other = ResponseContentTransformer<String, Int> { _ in throw Failure() }
        #expect(process("x", other).error?.userMessage == "Cannot parse server response")
        #expect(process("x", other).cause(Failure.self) != nil)
    }

    @Test(
        "errors go past, unless their bodies are to be transformed; one that fails stays as it is", .rule("Siesta 32"))
    func errors() {
        func process(_ content: any Sendable, _ transformErrors: Bool) -> RequestError? {
            let transformer = ResponseContentTransformer(transformErrors: transformErrors) { (entity: Entity<String>) in
                Int(entity.content)
            }
            let entity = Entity<any Sendable>(content: content, contentType: "a/b")
            return transformer.process(.failure(RequestError(userMessage: "no", cause: Failure(), entity: entity)))
                .error
        }
        #expect(process("7", false)?.typedContent() == "7")
        #expect(process("7", true)?.typedContent() == 7)
        #expect(process("7", true)?.cause is Failure)
        #expect(process("x", true)?.typedContent() == "x")
        #expect(process(1.5, true)?.typedContent() == 1.5)
        #expect(process("x", true)?.cause is Failure)
        let bare = RequestError(userMessage: "no", cause: nil)
        #expect(length.process(.failure(bare)).error?.userMessage == "no")
    }

    @Test("JSON's objects and arrays are there as Foundation's types, and as typed ones")
    func json() {
        let names = ResponseContentTransformer { (entity: Entity<[String: Any]>) in entity.content.keys.sorted() }
        #expect(process(["a": 1, "b": "x"] as [String: any Sendable], names).content() == ["a", "b"])
        let sum = ResponseContentTransformer { (entity: Entity<[Int]>) in entity.content.reduce(0, +) }
        #expect(process([1, 2] as [any Sendable], sum).content() == 3)
        #expect(process([1, "x"] as [any Sendable], sum).error != nil)
    }
}
