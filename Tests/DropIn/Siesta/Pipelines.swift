import Foundation
import PigeonREST
import Testing

extension PipelineStageKey {
    fileprivate static let encryption = PipelineStageKey(description: "encryption")
}

/// The user guide's transformer for the messages of a server's errors.
private struct ErrorMessage: ResponseTransformer {
    func process(_ response: Response) -> Response {
        guard case .failure(var error) = response else { return response }
        error.userMessage = error.jsonDict["message"] as? String ?? error.userMessage
        return .failure(error)
    }
}

/// A transformer with a description of its own, as programs wrote them: each logs what it does.
private struct Upper: ResponseTransformer, CustomDebugStringConvertible {
    let debugDescription = "upper"

    func process(_ response: Response) -> Response {
        switch response {
        case .success(var entity):
            entity.content = entity.text.uppercased()
            return .success(entity)
        case .failure:
            return response
        }
    }
}

@MainActor
@Suite("Siesta: pipelines")
struct PipelineTests {
    let network = StubNetwork([
        "GET /text": .text("seven"), "GET /json": .json(#"{"name": "Ann"}"#),
        "GET /error": .json(#"{"message": "Out of luck"}"#, status: 403),
        "GET /data": Answer(headers: ["Content-Type": "application/x-own"], body: "raw"),
    ])
    let service: Service

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
    }

    private func loaded(_ path: String) async -> Resource {
        let resource = service.resource(path)
        await end(of: resource.load())
        return resource
    }

    @Test("the standard transformers: JSON, text, and data that nobody parses")
    func standard() async {
        #expect(await loaded("/json").jsonDict["name"] as? String == "Ann")
        #expect(await loaded("/text").text == "seven")
        #expect(await loaded("/data").typedContent() == Data("raw".utf8))
        let raw = Service(baseURL: "https://example.com", standardTransformers: [], networking: network)
        let json = raw.resource("/json")
        await end(of: json.load())
        #expect(json.latestData?.content is Data)
    }

    @Test("stages: order, add, add for types of content, removal")
    func stages() async {
        service.configure("/text") {
            $0.pipeline.order = [.rawData, .encryption, .parsing, .model, .cleanup]
            $0.pipeline[.model].add(Upper())
            $0.pipeline[.cleanup].add(Upper(), contentTypes: ["application/*"])
        }
        #expect(await loaded("/text").text == "SEVEN")
        #expect(service.resource("/text").configuration.pipeline.order.count == 5)
        service.configure("/text") { $0.pipeline[.model].removeTransformers() }
        #expect(await loaded("/text").text == "seven")
        service.configure("/text") { $0.pipeline.removeAllTransformers() }
        #expect(await loaded("/text").typedContent() == Data("seven".utf8))
        service.configure("/text") {
            $0.pipeline.add(.text)
            $0.pipeline.add(.json)
            $0.pipeline.add(.image)
        }
        #expect(await loaded("/text").text == "seven")
        service.configure("/text") { $0.pipeline.clear() }
        #expect(await loaded("/text").typedContent() == Data("seven".utf8))
        service.configure("/text") { $0.pipeline.removeAllCaches() }
    }

    @Test(
        "TextResponseTransformer, JSONResponseTransformer, ImageResponseTransformer: their argument left out and given")
    func factories() async {
        let transformers: [ResponseTransformer] = [
            TextResponseTransformer(), TextResponseTransformer(false), JSONResponseTransformer(),
            JSONResponseTransformer(false), ImageResponseTransformer(), ImageResponseTransformer(true),
        ]
        for transformer in transformers { #expect(!transformer.debugDescription.isEmpty) }
        service.configure("/data") { $0.pipeline[.parsing].add(TextResponseTransformer(), contentTypes: ["*/x-own"]) }
        #expect(await loaded("/data").text == "raw")
    }

    @Test("a transformer of one's own reads an error's message")
    func errorMessage() async {
        service.configure { $0.pipeline[.cleanup].add(ErrorMessage()) }
        let error = await loaded("/error").latestError
        #expect(error?.userMessage == "Out of luck")
        #expect(error?.httpStatusCode == 403)
        #expect(ErrorMessage().debugDescription == "ErrorMessage")
        #expect(Upper().debugDescription == "upper")
    }

    @Test("ResponseContentTransformer(onInputTypeMismatch:transformErrors:processor:)")
    func contentTransformer() {
        let text: Response = .success(Entity<Sendable>(content: "abc", contentType: "text/plain"))
        let number: Response = .success(Entity<Sendable>(content: 3, contentType: "text/number"))
        let count = ResponseContentTransformer { (entity: Entity<String>) in entity.content.count }
        #expect((try? count.process(text).get().content as? Int) == 3)
        guard case .failure(let error) = count.process(number) else {
            Issue.record("a number was taken for a text")
            return
        }
        let cause = error.cause as? RequestError.Cause.WrongInputTypeInTranformerPipeline
        #expect(cause?.expectedType is String.Type)
        #expect(cause?.actualType is Int.Type)
        #expect(cause?.transformer != nil)

        let skipping = ResponseContentTransformer(onInputTypeMismatch: .skip) { (entity: Entity<String>) in
            entity.content.count
        }
        #expect((try? skipping.process(number).get().content as? Int) == 3)
        let matching = ResponseContentTransformer<String, Int>(onInputTypeMismatch: .skipIfOutputTypeMatches) {
            $0.content.count
        }
        #expect((try? matching.process(number).get().content as? Int) == 3)
        let processor: ResponseContentTransformer<String, Int>.Processor = { _ in nil }
        let none = ResponseContentTransformer(onInputTypeMismatch: .error, transformErrors: true, processor: processor)
        guard case .failure(let failure) = none.process(text) else {
            Issue.record("nothing was taken for something")
            return
        }
        #expect((failure.cause as? RequestError.Cause.TransformerReturnedNil)?.transformer != nil)
        #expect(!none.debugDescription.isEmpty)
    }

    @Test("what a transformer throws is the error, or its cause")
    func throwing() {
        let text: Response = .success(Entity<Sendable>(content: "abc", contentType: "text/plain"))
        let refusing = ResponseContentTransformer { (_: Entity<String>) -> Int in throw Refusal() }
        guard case .failure(let error) = refusing.process(text) else {
            Issue.record("nothing was thrown")
            return
        }
        #expect(error.cause is Refusal)
        let own = ResponseContentTransformer { (_: Entity<String>) -> Int in
            throw RequestError(userMessage: "mine", cause: Refusal())
        }
        guard case .failure(let mine) = own.process(text) else { return }
        #expect(mine.userMessage == "mine")
    }

    @Test("MutationAction, InputTypeMismatchAction and keys of stages as values")
    func values() {
        let actions: [PipelineStage.MutationAction] = [.replaceExisting, .appendToExisting]
        #expect(actions[0] != actions[1])
        let mismatches: [ResponseContentTransformer<String, Int>.InputTypeMismatchAction] = [
            .error, .skip, .skipIfOutputTypeMatches,
        ]
        #expect(mismatches.count == 3)
        let keys: Set<PipelineStageKey> = [.rawData, .decoding, .parsing, .model, .cleanup, .encryption]
        #expect(keys.count == 6)
        #expect(PipelineStageKey.model.description == "model")
        #expect(PipelineStageKey(description: "model") != .model)
        let standard: [StandardTransformer] = [.json, .text, .image]
        #expect(standard.count == 3)
    }

    @Test("JSON that is neither an object nor an array, and JSON that is none")
    func atoms() async {
        network["GET /json"] = .json("7")
        let cause = await loaded("/json").latestError?.cause
        #expect(cause is RequestError.Cause.JSONResponseIsNotDictionaryOrArray)
        network["GET /json"] = .json("{")
        #expect(await loaded("/json").latestError?.userMessage == "Cannot parse server response")
    }
}
