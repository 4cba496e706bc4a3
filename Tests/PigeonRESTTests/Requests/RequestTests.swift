import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests of a resource")
struct RequestTests {
    let bench = RESTBench()

    @Test("headers of the configuration, then the caller's changes, then the configuration's", .rule("Siesta 8"))
    func headerOrder() {
        bench.service.configure("**") {
            $0.headers = ["A": "header", "B": "header", "C": "header"]
            $0.mutateRequests { $0.setValue("mutation", forHTTPHeaderField: "C") }
        }
        bench.resource().request(.get) {
            $0.setValue("caller", forHTTPHeaderField: "B")
            $0.setValue("caller", forHTTPHeaderField: "C")
        }
        let asked = bench.asked[0]
        #expect(["A", "B", "C"].map(asked.header) == ["header", "caller", "mutation"])
    }

    @Test(
        "a content type that a mutation sets wins over the caller's, the parameter's and the header's",
        .rule("Siesta 8"))
    func contentType() {
        bench.service.configure("/a") { $0.headers["Content-Type"] = "from/header" }
        bench.service.configure("/a", requestMethods: [.put]) {
            $0.mutateRequests { $0.setValue("from/mutation", forHTTPHeaderField: "Content-Type") }
        }
        let resource = bench.resource("/a")
        resource.request(.get)
        resource.request(.post, data: Data(), contentType: "from/parameter")
        resource.request(.post, data: Data(), contentType: "from/parameter") {
            $0.setValue("from/caller", forHTTPHeaderField: "Content-Type")
        }
        resource.request(.put, data: Data(), contentType: "from/parameter")
        #expect(
            bench.asked.map { $0.header("Content-Type") } == [
                "from/header", "from/parameter", "from/caller", "from/mutation",
            ])
    }

    @Test(
        "headers are those of the method that was asked for, all else of the method that comes of it", .rule("Siesta 8")
    )
    func changedMethod() {
        let decorated = Recorder<String>()
        for method in [RequestMethod.get, .post] {
            bench.service.configure("**", requestMethods: [method]) {
                $0.headers["From"] = method.rawValue
                $0.decorateRequests { _, request in
                    decorated.append(method.rawValue)
                    return request
                }
            }
        }
        bench.resource().request(.post) { $0.httpMethod = "GET" }
        #expect(bench.asked[0].method == "GET")
        #expect(bench.asked[0].header("From") == "post")
        #expect(decorated.all == ["get"])
        bench.resource().request(.post) { $0.httpMethod = "BREW" }
        #expect(bench.asked[1].method == "BREW")
        #expect(decorated.all == ["get", "get"], "a method that is not known counts as GET")
    }

    @Test("a request leaves what is known as it is, and observers hear nothing", .rule("Siesta 9"))
    func changesNothing() async {
        let resource = bench.loaded()
        let heard = bench.record(resource)
        for status in [200, 304, 500] {
            let request = resource.request(.get)
            #expect(request.state == .inProgress)
            #expect(resource.allRequests.count == 1)
            #expect(resource.loadRequests.isEmpty)
            bench.answer("Bob", status: status)
            _ = await request.response()
            #expect(resource.allRequests.isEmpty)
        }
        #expect(resource.body == "Ann")
        #expect(resource.latestError == nil)
        #expect(heard.all.count == 1)
    }

    @Test(
        "each decorator gets what the one before returned, and a request that is replaced is not started",
        .rule("Siesta 9"))
    func decorators() async {
        let replacement = Resource.failedRequest(returning: RequestError(userMessage: "no", cause: nil))
        let originals = Recorder<any Request>()
        let seen = Recorder<any Request>()
        bench.service.configure("**") {
            $0.decorateRequests { _, request in
                originals.append(request)
                return replacement
            }
            $0.decorateRequests { _, request in
                seen.append(request)
                return request
            }
        }
        let request = bench.resource().request(.get)
        #expect(request === replacement)
        #expect(seen.all.first === replacement)
        #expect(originals.all.first?.state == .notStarted)
        #expect(bench.asked.isEmpty)
        #expect(await request.response().response.error?.userMessage == "no")
    }

    @Test("a status from 400 on is a failure, with the body", .rule("Siesta 14"))
    func failure() async {
        let resource = bench.loaded()
        resource.load()
        bench.answer("sorry", status: 404)
        let error = resource.latestError
        #expect(error?.httpStatusCode == 404)
        #expect(error?.entity?.typedContent() == Data("sorry".utf8))
        #expect(error?.userMessage == "Not Found")
        #expect(error?.url == resource.url)
        #expect(resource.body == "Ann", "the last good content stays")
    }

    @Test("an answer without a body is a success with none", .rule("Siesta 14"), arguments: [200, 201, 204])
    func noContent(status: Int) {
        let resource = bench.resource()
        resource.load()
        bench.answer(status: status)
        #expect(resource.typedContent() == Data())
        #expect(resource.latestError == nil)
    }

    @Test("a redirect that was not followed is no content", .rule("Siesta S27"), arguments: [300, 301, 302, 307])
    func redirect(status: Int) {
        let resource = bench.loaded()
        resource.load()
        bench.answer("moved", status: status)
        #expect(resource.latestError?.httpStatusCode == status)
        #expect(resource.body == "Ann")
    }

    @Test("what the transport says is the cause", .rule("Siesta 14"))
    func transport() {
        let resource = bench.resource()
        resource.load()
        bench.fail(.timedOut)
        #expect((resource.latestError?.cause as? URLError)?.code == .timedOut)
        #expect(resource.latestError?.httpStatusCode == nil)
    }

    @Test("bodies are written as they should be", .rule("Siesta 15"))
    func bodies() {
        let resource = bench.resource()
        resource.request(.post, text: "é")
        resource.request(.post, json: ["b": 1, "a": ["x"]])
        resource.request(.post, urlEncoded: ["b": "x y&z", "a": "é"])
        resource.request(.post, encoding: ["a": 1])
        #expect(bench.asked.map(\.body) == ["é", #"{"a":["x"],"b":1}"#, "a=%C3%A9&b=x%20y%26z", #"{"a":1}"#])
        #expect(
            bench.asked.map { $0.header("Content-Type") } == [
                "text/plain; charset=utf-8", "application/json", "application/x-www-form-urlencoded",
                "application/json",
            ])
    }

    @Test("what cannot be written fails, and touches no network", .rule("Siesta 15"))
    func unwritable() async {
        let resource = bench.resource()
        let text = resource.request(.post, text: "日本", encoding: .ascii)
        let json = resource.request(.post, json: ["a": Double.nan])
        let value = resource.request(.post, encoding: Double.infinity)
        for request in [text, json, value] { #expect(request.state == .completed) }
        #expect(await text.response().response.cause(RequestError.Cause.UnencodableText.self)?.text == "日本")
        #expect(await json.response().response.cause(RequestError.Cause.InvalidJSONObject.self) != nil)
        #expect(await value.response().response.cause(EncodingError.self) != nil)
        #expect(await value.response().response.error?.url == resource.url)
        #expect(bench.asked.isEmpty)
        #expect(resource.allRequests.isEmpty)
    }
}
