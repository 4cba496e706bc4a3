import Foundation
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Siesta #11 and #245: an empty body")
struct EmptyBodyTests {
    private struct User: Codable, Sendable, Equatable {
        let name: String
    }

    private static var full: Pipeline {
        var pipeline = Pipeline()
        for transformer in [StandardTransformer.json, .text, .image] { pipeline.add(transformer) }
        pipeline[.model].add(ResponseContentTransformer(decoding: User.self))
        return pipeline
    }

    @Test(
        "Siesta #245: an answer without a body is a success, whatever type it says and whatever is configured",
        arguments: ["application/json", "image/png", "application/octet-stream"])
    func success(type: String) async {
        let response = await Self.full.process(.success(.body("", type))).response
        #expect(response.content() == Data())
    }

    @Test("Siesta #11: a model of bytes, of JSON or of a type of one's own is not asked for nothing")
    func models() async {
        for transformer: any ResponseTransformer in [
            ResponseContentTransformer { (_: Entity<Data>) -> User? in nil },
            ResponseContentTransformer { (_: Entity<[String: Any]>) -> User? in nil },
            ResponseContentTransformer { (_: Entity<String>) -> User? in nil },
        ] {
            #expect(transformer.process(.success(.body(""))).content() == Data())
        }
    }

    @Test("What takes anything is asked for nothing too")
    func anything() {
        let flag = ResponseContentTransformer { (_: Entity<Any>) in true }
        #expect(flag.process(.success(.body(""))).content() == true)
        let sendable = ResponseContentTransformer { (_: Entity<any Sendable>) in true }
        #expect(sendable.process(.success(.body(""))).content() == true)
        let none = ResponseContentTransformer(onEmptyBody: .alwaysSkip) { (_: Entity<Any>) in true }
        #expect(none.process(.success(.body(""))).content() == Data())
    }

    @Test("What says that it transforms empty bodies does")
    func transforming() {
        let count = ResponseContentTransformer(onEmptyBody: .transform) { (entity: Entity<Data>) in entity.content.count
        }
        #expect(count.process(.success(.body(""))).content() == 0)
    }

    @Test("A body of one byte is not empty")
    func oneByte() async {
        #expect(await Self.full.process(.success(.body(" "))).response.error != nil)
    }

    @Test(
        "an error without a body has an empty one, with the headers of the answer", .rule("U7"),
        arguments: [300, 404, 500])
    func emptyErrors(status: Int) async throws {
        let bench = RESTBench(transformers: [.json, .text])
        let resource = bench.resource()
        let request = resource.load()
        bench.answer(status: status, headers: ["Content-Type": "application/json", "X-Limit": "0"])
        let error = try #require(await request.response().response.error)
        #expect(error.httpStatusCode == status)
        let entity = try #require(error.entity)
        #expect(entity.content as? Data == Data())
        #expect(entity.header(forKey: "X-Limit") == "0")
        #expect(error.text == "" && error.jsonDict.isEmpty)
    }

    @Test("a decorator makes content of a 404 without a body", .rule("U7"))
    func star() async {
        let bench = RESTBench()
        bench.service.configure("/starred/*") {
            $0.decorateRequests { _, request in
                request.chained { info in
                    guard case .failure(let error) = info.response, error.httpStatusCode == 404,
                        var entity = error.entity
                    else { return .useThisResponse }
                    entity.content = false
                    return .useResponse(ResponseInfo(response: .success(entity)))
                }
            }
        }
        let resource = bench.resource("/starred/1")
        let request = resource.load()
        bench.answer(status: 404)
        await bench.until { !resource.isLoading }
        #expect(await request.response().response.content() == false)
        #expect(resource.typedContent() == false)
    }

    @Test(
        "a request without an answer has no entity, though its answer may have begun", .rule("U7"),
        arguments: [true, false])
    func noAnswer(hasBegun: Bool) async throws {
        let bench = RESTBench()
        let request = bench.resource().load()
        if hasBegun {
            bench.asked[0].breakOff(after: Data("An".utf8))
            bench.lab.settle()
        } else {
            bench.fail()
        }
        let error = try #require(await request.response().response.error)
        #expect(error.cause is URLError)
        #expect(error.entity?.content as? Data == (hasBegun ? Data("An".utf8) : nil))
    }

    @Test("An error without a body stays the error it is")
    func errors() async {
        let error = RequestError(userMessage: "no", cause: nil, entity: .body(""))
        #expect(await Self.full.process(.failure(error)).response.error?.userMessage == "no")
    }
}
