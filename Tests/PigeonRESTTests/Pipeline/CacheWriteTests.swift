import Dispatch
import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("what of a response may be kept", .rule("Siesta 31"))
struct CacheWriteTests {
    private let number = ResponseContentTransformer { (entity: Entity<String>) in Int(entity.content) }

    private func cached() -> Pipeline {
        var pipeline = Pipeline()
        pipeline.add(.text)
        pipeline[.model].add(number)
        for key in pipeline.order { pipeline[key].cacheUsing(MemoryCache()) }
        return pipeline
    }

    @Test("each stage's cache is for what comes of that stage, in order", .rule("Siesta 31"))
    func stages() async {
        let writes = await cached().process(.success(.body("7", "text/plain"))).cacheWrites
        #expect(writes.map { "\($0.entity.content)" } == ["1 bytes", "1 bytes", "7", "7", "7"])
        #expect(writes.map { "\(type(of: $0.entity.content))" } == ["Data", "Data", "String", "Int", "Int"])
    }

    @Test("Stages that do not run keep nothing")
    func unlisted() async {
        var pipeline = cached()
        pipeline.order = [.parsing]
        #expect(await pipeline.process(.success(.body("7", "text/plain"))).cacheWrites.count == 1)
    }

    @Test("nothing of an error is kept, nor of an answer that became one", .rule("Siesta 36"))
    func errors() async {
        let error = RequestError(userMessage: "", cause: nil, entity: .body("7", "text/plain"))
        #expect(await cached().process(.failure(error)).cacheWrites.isEmpty)
        let unparsable = await cached().process(.success(.body("x", "text/plain")))
        #expect(unparsable.response.error != nil)
        #expect(unparsable.cacheWrites.isEmpty)
    }

    @Test("What a later stage made a success of is kept from there on")
    func recovery() async {
        var pipeline = cached()
        pipeline[.cleanup].add(Transformer { _ in .success(Entity(content: false, contentType: "a/b")) })
        let error = RequestError(userMessage: "", cause: nil)
        let writes = await pipeline.process(.failure(error)).cacheWrites
        #expect(writes.map { $0.entity.content as? Bool } == [false])
    }

    @Test("Transformers run away from the caller's actor, and the caller goes on where it was")
    func elsewhere() async {
        let place = Place()
        #expect(await place.outcomes() == [false, true])
    }

    @Test("Without transformers the caller's actor is not left, so that nothing comes between")
    @MainActor func inPlace() async {
        var pipeline = Pipeline()
        pipeline[.model].cacheUsing(MemoryCache())
        let another = Counter()
        let other = Task { @MainActor in another.value += 1 }
        let outcome = await pipeline.process(.success(.body("")))
        #expect(another.value == 0)
        #expect(outcome.cacheWrites.count == 1)
        await other.value
        #expect(another.value == 1)
    }
}

/// An actor that can detect whether code runs on it.
private actor Place {
    private nonisolated let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Returns whether a transformer ran on this actor, and whether the code after it does.
    func outcomes() async -> [Bool?] {
        var pipeline = Pipeline()
        let executor = executor
        pipeline[.model].add(
            Transformer { _ in .success(Entity(content: executor.isCurrent, contentType: "a/b")) })
        let outcome = await pipeline.process(.success(.body("")))
        return [outcome.response.content(), executor.isCurrent]
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "place")
    private let mark = DispatchSpecificKey<Bool>()

    init() {
        queue.setSpecific(key: mark, value: true)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

@MainActor
private final class Counter {
    var value = 0
}
