import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Siesta: requests")
struct RequestTests {
    let network = StubNetwork([
        "GET /a": .text("got", headers: ["ETag": "1"]), "POST /a": .text("posted"), "PUT /a": .text("no", status: 422),
    ])
    let resource: Resource

    init() {
        resource = Service(baseURL: "https://example.com", networking: network).resource("/a")
    }

    private var body: String? { network.requests.last?.httpBody.map { String(decoding: $0, as: UTF8.self) } }
    private var contentType: String? { network.requests.last?.value(forHTTPHeaderField: "Content-Type") }

    @Test("RequestMethod and its raw values")
    func methods() {
        // guide: `RequestMethod` with `CaseIterable`
        #expect(RequestMethod.allCases == [.options, .get, .head, .post, .put, .patch, .delete])
        #expect(RequestMethod.allCases.map(\.rawValue) == ["options", "get", "head", "post", "put", "patch", "delete"])
        #expect(RequestMethod(rawValue: "delete") == .delete)
    }

    @Test("request(_:requestMutation:): its argument left out and given")
    func plain() async {
        await end(of: resource.request(.post))
        #expect(network.requests.last?.httpMethod == "POST")
        // guide: `RequestMutation`
        let mutation: Resource.RequestMutation = { $0.setValue("1", forHTTPHeaderField: "X-Asked") }
        await end(of: resource.request(.post, requestMutation: mutation))
        await end(of: resource.request(.get) { $0.setValue("2", forHTTPHeaderField: "X-Asked") })
        #expect(network.requests.map { $0.value(forHTTPHeaderField: "X-Asked") } == [nil, "1", "2"])
        #expect(resource.latestData == nil)
    }

    @Test("request(_:data:contentType:requestMutation:)")
    func data() async {
        await end(of: resource.request(.post, data: Data("x".utf8), contentType: "text/x"))
        #expect(body == "x")
        #expect(contentType == "text/x")
        await end(
            of: resource.request(.post, data: Data("y".utf8), contentType: "text/x") {
                $0.setValue("text/y", forHTTPHeaderField: "Content-Type")
            })
        #expect(contentType == "text/y")
    }

    @Test("request(_:text:contentType:encoding:requestMutation:)")
    func text() async {
        await end(of: resource.request(.post, text: "häj"))
        #expect(body == "häj")
        #expect(contentType == "text/plain; charset=utf-8")
        await end(of: resource.request(.post, text: "hi", contentType: "text/x", encoding: .ascii) { _ in })
        #expect(contentType == "text/x; charset=us-ascii")
        let failed = await end(of: resource.request(.post, text: "häj", encoding: .ascii))
        let cause = failed.error?.cause as? RequestError.Cause.UnencodableText
        #expect(cause?.text == "häj")
        #expect(cause?.encoding == .ascii)
    }

    @Test("request(_:json:contentType:requestMutation:), of all that JSONConvertible is")
    func json() async {
        await end(of: resource.request(.post, json: ["a": 1]))
        #expect(body == #"{"a":1}"#)
        #expect(contentType == "application/json")
        await end(of: resource.request(.post, json: [1, 2], contentType: "text/json") { $0.timeoutInterval = 3 })
        #expect(body == "[1,2]")
        #expect(contentType == "text/json")
        let dictionary = NSDictionary(dictionary: ["b": "2"])
        let bodies: [JSONConvertible] = [dictionary, NSArray(array: [3]), ["c": ["d"]] as [String: Any], [4]]
        for json in bodies { await end(of: resource.request(.post, json: json)) }
        #expect(body == "[4]")
        let failed = await end(of: resource.request(.post, json: ["date": Date()]))
        #expect(failed.error?.cause is RequestError.Cause.InvalidJSONObject)
    }

    @Test("request(_:urlEncoded:requestMutation:)")
    func form() async {
        await end(of: resource.request(.post, urlEncoded: ["b": "1 + 1", "a": "é"]))
        #expect(body == "a=%C3%A9&b=1%20%2B%201")
        #expect(contentType == "application/x-www-form-urlencoded")
        await end(of: resource.request(.post, urlEncoded: [:]) { $0.timeoutInterval = 3 })
    }

    @Test("the hooks of a request that succeeds, each called once, in the order in which they were attached")
    func success() async {
        var called: [String] = []
        network.hold()
        let request = resource.request(.get)
            .onCompletion { info in called.append("completion \(info.isNew)") }
            .onSuccess { entity in called.append("success \(entity.text)") }
            .onNewData { entity in called.append("new \(entity.text)") }
            .onNotModified { called.append("not modified") }
            .onFailure { error in called.append("failure \(error.userMessage)") }
            .onProgress { progress in if progress == 1 { called.append("progress") } }
        #expect(request.state == .inProgress)
        #expect(request.progress < 1)
        network.answerAll()
        await end(of: request)
        #expect(request.state == .completed)
        #expect(request.progress == 1)
        #expect(called.filter { $0 != "progress" } == ["completion true", "success got", "new got"])
        #expect(called.contains("progress"))
    }

    @Test("the hooks of a request that fails, and of one that is not modified")
    func otherHooks() async {
        var called: [String] = []
        await end(
            of: resource.request(.put).onSuccess { _ in called.append("success") }
                .onFailure { called.append("\($0.httpStatusCode ?? 0)") })
        await end(of: resource.load())
        network["GET /a"] = .text("", status: 304)
        await end(of: resource.load().onNotModified { called.append("same") }.onNewData { _ in called.append("new") })
        #expect(called == ["422", "same"])
    }

    @Test("a hook that is attached late is called all the same")
    func late() async {
        let request = resource.request(.get)
        await end(of: request)
        await end(of: request)
        #expect(request.isFinished)
    }

    @Test("cancel() and Response.isCancellation")
    func cancelling() async {
        network.hold()
        let request = resource.request(.get)
        request.cancel()
        let info = await end(of: request)
        #expect(info.response.isCancellation)
        #expect((info.error?.cause as? RequestError.Cause.RequestCancelled) != nil)
        #expect((info.error?.cause as? RequestError.Cause.RequestCancelled)?.networkError == nil)
    }

    @Test("repeated() and start()")
    func repeating() async {
        let request = resource.request(.post, text: "again")
        await end(of: request)
        let again = request.repeated()
        #expect(again.state == .notStarted)
        #expect(again !== request)
        again.start()
        await end(of: again)
        #expect(network.requests.count == 2)
        #expect(body == "again")
    }

    @Test("failedRequest(returning:) and hardWiredRequest(returning:) are over, and call hooks without being started")
    func hardWired() async {
        let failed = Resource.failedRequest(returning: RequestError(userMessage: "no", cause: Refusal()))
        #expect(failed.state == .completed)
        #expect(failed.progress == 1)
        #expect(await end(of: failed).error?.userMessage == "no")
        let entity = Entity<Sendable>(content: "yes", contentType: "text/plain")
        let wired = Resource.hardWiredRequest(returning: .success(entity))
        #expect(await end(of: wired).entity?.text == "yes")
        let again = wired.repeated()
        #expect(await end(of: again.start()).entity?.text == "yes")
    }

    @Test("ResponseInfo, Response and RequestState as values")
    func values() {
        let entity = Entity<Sendable>(content: "a", contentType: "text/plain")
        let response: Response = .success(entity)
        #expect(!response.isCancellation)
        var info = ResponseInfo(response: response)
        #expect(info.isNew)
        info.isNew = false
        info.response = .failure(RequestError(userMessage: "no", cause: Refusal()))
        #expect(!ResponseInfo(response: response, isNew: false).isNew)
        #expect(!info.response.isCancellation)
        switch RequestState.notStarted {
        case .notStarted, .inProgress, .completed: break
        }
    }
}

extension ResponseInfo {
    /// What programs write for themselves.
    var error: RequestError? {
        guard case .failure(let error) = response else { return nil }
        return error
    }

    var entity: Entity<Sendable>? {
        guard case .success(let entity) = response else { return nil }
        return entity
    }
}

extension Request {
    fileprivate var isFinished: Bool { state == .completed }
}
