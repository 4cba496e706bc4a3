import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("what caches have of a resource", .rule("Siesta 34"))
struct RehydrationTests {
    private let number = ResponseContentTransformer { (entity: Entity<String>) in Int(entity.content) }
    private let raw = MemoryCache()
    private let model = MemoryCache()
    private let cleaned = MemoryCache()

    private var pipeline: Pipeline {
        var pipeline = Pipeline()
        pipeline.add(.text)
        pipeline[.model].add(number)
        pipeline[.rawData].cacheUsing(raw)
        pipeline[.model].cacheUsing(model)
        pipeline[.cleanup].cacheUsing(cleaned)
        return pipeline
    }

    private func entity(_ content: any Sendable, at timestamp: TimeInterval = 100) -> Entity<any Sendable> {
        Entity(content: content, headers: ["content-type": "text/plain", "etag": "e"], timestamp: timestamp)
    }

    @Test("the last stage is asked first, and what it has is taken as it is", .rule("Siesta 34"))
    func lastFirst() async {
        raw["/users/1"] = entity(Data("1".utf8))
        model["/users/1"] = entity(2)
        cleaned["/users/1"] = entity("done")
        let found = await pipeline.rehydrate(for: resource())
        #expect(found?.entity.typedContent() == "done")
        #expect(found?.entity.timestamp == 100)
        #expect(found?.entity.etag == "e")
        #expect(found?.cacheWrites.isEmpty == true)
        #expect(model.calls == ["key"])
        #expect(raw.calls == ["key"])
    }

    @Test("what an early stage has goes through the later ones, for whose caches it is too", .rule("Siesta 34"))
    func remainingStages() async {
        raw["/users/1"] = entity(Data("7".utf8))
        let found = await pipeline.rehydrate(for: resource())
        #expect(found?.entity.typedContent() == 7)
        #expect(found?.entity.timestamp == 100)
        #expect(found?.cacheWrites.map { $0.entity.content as? Int } == [7, 7])
        #expect(cleaned.calls == ["key", "read"])
        #expect(model.calls == ["key", "read"])
    }

    @Test("when what a cache has fails in later stages, an earlier cache is asked", .rule("Siesta 34"))
    func failing() async {
        var pipeline = pipeline
        pipeline[.cleanup].add(
            Transformer { response in
                response.content() == 8 ? .failure(RequestError(userMessage: "", cause: nil)) : response
            })
        raw["/users/1"] = entity(Data("7".utf8))
        model["/users/1"] = entity(8)
        #expect(await pipeline.rehydrate(for: resource())?.entity.typedContent() == 7)
        raw["/users/1"] = entity(Data("x".utf8))
        #expect(await pipeline.rehydrate(for: resource())?.entity == nil)
    }

    @Test("nothing is found where nothing is kept, or where there are no caches", .rule("Siesta 34"))
    func misses() async {
        #expect(await pipeline.rehydrate(for: resource())?.entity == nil)
        #expect(await Pipeline().rehydrate(for: resource())?.entity == nil)
    }

    @Test("a time in the future is not believed", .rule("Siesta S26"))
    func future() async {
        let future = Date.timeIntervalSinceReferenceDate + 1e6
        cleaned["/users/1"] = entity("done", at: future)
        #expect(await pipeline.rehydrate(for: resource())?.entity.timestamp == 0)
        raw["/users/2"] = entity(Data("7".utf8), at: future)
        let found = await pipeline.rehydrate(for: resource("https://example.com/users/2"))
        #expect(found?.entity.timestamp == 0)
        #expect(found?.cacheWrites.first?.entity.timestamp == 0)
        #expect(await pipeline.rehydrate(for: resource(), now: future)?.entity.timestamp == future)
    }

    @Test("A stage that is not listed is not asked")
    func unlisted() async {
        var pipeline = pipeline
        pipeline.order = [.rawData, .parsing, .model]
        cleaned["/users/1"] = entity("done")
        #expect(await pipeline.rehydrate(for: resource())?.entity == nil)
        #expect(cleaned.calls.isEmpty)
    }
}
