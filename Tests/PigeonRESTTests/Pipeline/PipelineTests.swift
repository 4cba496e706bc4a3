import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("a pipeline", .rule("Siesta 31"))
struct PipelineTests {
    /// Returns a transformer that appends a letter to a text.
    private func appending(_ letter: String) -> any ResponseTransformer {
        ResponseContentTransformer { (entity: Entity<String>) in entity.content + letter }
    }

    private func process(_ pipeline: Pipeline, _ text: String = "") async -> PipelineOutcome {
        await pipeline.process(.success(Entity(content: text, contentType: "text/plain")))
    }

    @Test("stages run in order, transformers of one in the order they were added", .rule("Siesta 31"))
    func order() async {
        var pipeline = Pipeline()
        pipeline[.cleanup].add(appending("f"))
        pipeline[.model].add(appending("d"))
        pipeline[.model].add(appending("e"))
        pipeline[.rawData].add(appending("a"))
        pipeline[.parsing].add(appending("c"))
        pipeline[.decoding].add(appending("b"))
        #expect(await process(pipeline).response.content() == "abcdef")
        pipeline.order = [.cleanup, .model]
        #expect(await process(pipeline).response.content() == "fde")
    }

    @Test("a stage of one's own runs where it is listed, and not at all where it is not", .rule("Siesta 31"))
    func ownStages() async {
        let own = PipelineStageKey(description: "own")
        var pipeline = Pipeline()
        pipeline[own].add(appending("x"))
        pipeline[.model].add(appending("y"))
        #expect(await process(pipeline).response.content() == "y")
        pipeline.order.insert(own, at: 0)
        #expect(await process(pipeline).response.content() == "xy")
        #expect(own.description == "own")
        #expect(own != PipelineStageKey(description: "own"))
    }

    @Test("a stage that is listed twice runs once, at its first place", .rule("Siesta 31"))
    func doubledStages() async {
        var pipeline = Pipeline()
        pipeline[.model].add(appending("m"))
        pipeline[.cleanup].add(appending("c"))
        pipeline.order = [.model, .cleanup, .model]
        #expect(await process(pipeline).response.content() == "mc")
    }

    @Test("Transformers and caches are removed apart, or together")
    func removing() async {
        var pipeline = Pipeline()
        pipeline[.model].add(appending("m"))
        pipeline[.model].cacheUsing(MemoryCache())
        pipeline[.cleanup].add(appending("c"))
        var changed = pipeline
        changed[.model].removeTransformers()
        #expect(await process(changed).response.content() == "c")
        #expect(changed.caches.count == 1)
        changed = pipeline
        changed.removeAllTransformers()
        #expect(await process(changed).response.content() == "")
        #expect(changed.caches.count == 1)
        changed = pipeline
        changed.removeAllCaches()
        #expect(await process(changed).response.content() == "mc")
        #expect(changed.caches.isEmpty)
        changed = pipeline
        changed.order = []
        #expect(changed.caches.isEmpty)
        #expect(changed.everyCache.count == 1)
        changed = pipeline
        changed[.model].doNotCache()
        #expect(changed.caches.isEmpty)
        changed = pipeline
        changed.clear()
        #expect(await process(changed).response.content() == "")
        #expect(changed.caches.isEmpty)
    }

    @Test("an answer that is not understood keeps its status and its body as the server sent it", .rule("Siesta S22"))
    func unparsable() async throws {
        var pipeline = Pipeline()
        pipeline.add(.json)
        pipeline[.model].add(ResponseContentTransformer { (_: Entity<[String: Any]>) -> Int? in nil })
        for text in ["{", "{}", "3"] {
            let answer = try answer(206, ["Content-Type": "application/json", "X-Id": "7"])
            let entity = Entity<any Sendable>(response: answer, content: Data(text.utf8))
            let error = await pipeline.process(.success(entity)).response.error
            #expect(error?.httpStatusCode == 206)
            #expect(error?.entity?.content as? Data == Data(text.utf8))
            #expect(error?.entity?.header(forKey: "x-id") == "7")
        }
    }

    @Test("what a transformer says of status and body itself is left", .rule("Siesta S22"))
    func ownError() async throws {
        var pipeline = Pipeline()
        pipeline[.cleanup].add(
            Transformer { _ in
                var error = RequestError(userMessage: "mine", cause: nil, entity: .body("mine"))
                error.httpStatusCode = 418
                return .failure(error)
            })
        let entity = Entity<any Sendable>(response: try answer(200), content: Data())
        let error = await pipeline.process(.success(entity)).response.error
        #expect(error?.httpStatusCode == 418)
        #expect(error?.entity?.content as? Data == Data("mine".utf8))
    }

    @Test("A later stage may make a success of an error, and an error's text of its body")
    func errors() async {
        var pipeline = Pipeline()
        pipeline.add(.json)
        pipeline[.cleanup].add(
            Transformer { response in
                guard var error = response.error else { return response }
                if error.httpStatusCode == 404 { return .success(Entity(content: false, contentType: "a/b")) }
                error.userMessage = error.jsonDict["message"] as? String ?? error.userMessage
                return .failure(error)
            })
        var error = RequestError(userMessage: "no", cause: nil, entity: .body(#"{"message":"limit"}"#))
        #expect(await pipeline.process(.failure(error)).response.error?.userMessage == "limit")
        error.httpStatusCode = 404
        #expect(await pipeline.process(.failure(error)).response.content() == false)
    }
}
