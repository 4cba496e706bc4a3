import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Siesta: resources")
struct ResourceTests {
    let network = StubNetwork([
        "GET /users/ann": .json(#"{"name": "Ann", "age": 30}"#, headers: ["ETag": "v1"]),
        "GET /users": .json(#"["ann", "bob"]"#), "GET /motd": .text("Hello"),
    ])
    let service: Service
    let user: Resource

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
        service.configure { $0.expirationTime = 3600 }  // on a real clock, beside thousands of other tests
        user = service.resource("/users/ann")
    }

    @Test("a resource that knows nothing yet")
    func blank() {
        #expect(user.service === service)
        #expect(user.url.absoluteString == "https://example.com/users/ann")
        #expect(user.latestData == nil)
        #expect(user.latestError == nil)
        #expect(user.timestamp == 0)
        #expect(!user.isLoading && !user.isRequesting && !user.isUpToDate)
        #expect(user.loadRequests.isEmpty && user.allRequests.isEmpty)
        #expect(user.configuration.expirationTime == user.configuration(for: .head).expirationTime)
    }

    @Test("load(): what is under way, and what is known after it")
    func loading() async {
        let start = Date.timeIntervalSinceReferenceDate
        network.hold()
        let request = user.load()
        #expect(user.isLoading && user.isRequesting)
        #expect(user.loadRequests.first === request)
        #expect(user.allRequests.first === request)
        #expect(user.loadIfNeeded() === request)
        network.answerAll()
        await end(of: request)
        #expect(!user.isLoading && !user.isRequesting && user.isUpToDate)
        #expect(user.loadRequests.isEmpty && user.allRequests.isEmpty)
        #expect(user.loadIfNeeded() == nil)
        #expect(user.latestData?.etag == "v1")
        #expect(user.timestamp == user.latestData?.timestamp)
        // The clock of the client and that of the machine may differ by a little.
        #expect((start - 1...Date.timeIntervalSinceReferenceDate + 1).contains(user.timestamp))
    }

    @Test("load(using:): a request of another kind is a load of the resource")
    func loadUsing() async {
        let answer = Entity<Sendable>(content: ["name": "Bob"], contentType: "application/json")
        await end(of: user.load(using: Resource.hardWiredRequest(returning: .success(answer))))
        #expect(user.jsonDict["name"] as? String == "Bob")
        network["POST /users/ann"] = .json(#"{"name": "Carl"}"#)
        await end(of: user.load(using: user.request(.post)))
        #expect(user.jsonDict["name"] as? String == "Carl")
    }

    @Test("jsonDict, jsonArray, text and typedContent() of a resource")
    func content() async {
        await end(of: user.load())
        #expect(user.jsonDict["name"] as? String == "Ann")
        let names = service.resource("/users")
        #expect(names.jsonArray.isEmpty)
        await end(of: names.load())
        #expect(names.jsonArray.count == 2)
        #expect(names.typedContent() == ["ann", "bob"])
        let message = service.resource("/motd")
        #expect(message.text == "")
        await end(of: message.load())
        #expect(message.text == "Hello")
        #expect(message.typedContent(ifNone: "none") == "Hello")
        #expect(message.typedContent(ifNone: 7) == 7)
        let none: Int? = message.typedContent(ifNone: nil)
        #expect(none == nil)
    }

    @Test("child, relative, optionalRelative, withParam, withParams")
    func navigation() {
        #expect(user.child("repos").url.path == "/users/ann/repos")
        #expect(user.relative("bob").url.path == "/users/bob")
        #expect(user.relative("/motd") === service.resource("/motd"))
        #expect(user.relative("https://other.org/a").url.host == "other.org")
        #expect(user.optionalRelative("/motd") === service.resource("/motd"))
        let nowhere: String? = nil
        #expect(user.optionalRelative(nowhere) == nil)
        let sorted = user.withParam("sort", "name")
        #expect(sorted.url.query == "sort=name")
        #expect(sorted.withParam("sort", nil) === user)
        #expect(user.withParams(["b": "2", "a": "1", "c": nil]).url.query == "a=1&b=2")
    }

    @Test("overrideLocalContent(with:) and overrideLocalData(with:)")
    func overriding() async {
        await end(of: user.load())
        user.overrideLocalContent(with: "local")
        #expect(user.text == "local")
        #expect(user.latestData?.contentType == "application/json")
        // guide: cannot convert `Entity<any Sendable>` to `Entity<Any>`
        user.overrideLocalData(with: Entity<Sendable>(content: 7, contentType: "text/number"))
        #expect(user.typedContent() == 7)
        #expect(user.latestData?.contentType == "text/number")
        let empty = service.resource("/empty")
        empty.overrideLocalContent(with: "a")
        #expect(empty.latestData?.contentType == "application/binary")
    }

    @Test("the user guide's way to change a part of JSON content")
    func overridingJSON() async {
        await end(of: user.load())
        var content = user.jsonDict
        content["name"] = "Anna"
        user.overrideLocalContent(with: content)
        #expect(user.jsonDict["name"] as? String == "Anna")
        #expect(user.jsonDict["age"] as? Int == 30)
    }

    @Test("numbers of JSON cast as NSNumbers do")
    func numbers() async {
        // guide: content of JSON: `[String: Any]` with `NSNumber`s
        network["GET /numbers"] = .json(#"{"one": 1, "half": 0.5, "yes": true, "list": [1, 2], "none": null}"#)
        let numbers = service.resource("/numbers")
        await end(of: numbers.load())
        let json = numbers.jsonDict
        #expect(json["one"] as? Int == 1)
        #expect(json["one"] as? Double == 1)
        #expect(json["one"] as? Float == 1)
        #expect(json["one"] as? Int64 == 1)
        #expect((json["one"] as? NSNumber)?.intValue == 1)
        #expect(json["half"] as? Double == 0.5)
        #expect(json["yes"] as? Bool == true)
        #expect(json["list"] as? [Double] == [1, 2])
        #expect(json["none"] is NSNull)
    }

    @Test("invalidate() and wipe()")
    func forgetting() async {
        await end(of: user.load())
        user.invalidate()
        #expect(!user.isUpToDate)
        #expect(user.latestData != nil)
        user.wipe()
        #expect(user.latestData == nil)
        #expect(user.timestamp == 0)
    }

    @Test("cancelLoadIfUnobserved(), and after a delay with and without a callback")
    func cancelling() async {
        network.hold()
        let request = user.load()
        user.cancelLoadIfUnobserved()
        let info = await end(of: request)
        #expect(info.response.isCancellation)
        let second = user.load()
        await withCheckedContinuation { continuation in
            user.cancelLoadIfUnobserved(afterDelay: 0) { continuation.resume() }
        }
        #expect(await end(of: second).response.isCancellation)
        let third = user.load()
        user.cancelLoadIfUnobserved(afterDelay: 0)
        #expect(await end(of: third).response.isCancellation)
    }

    @Test("a failed load leaves the content, and an error")
    func failing() async {
        await end(of: user.load())
        network["GET /users/ann"] = Answer(error: URLError(.notConnectedToInternet))
        await end(of: user.load())
        #expect(user.latestError?.cause is URLError)
        #expect(user.latestData != nil)
        #expect(user.timestamp == user.latestError?.timestamp)
    }

    @Test("a 304 leaves the content as it is")
    func notModified() async {
        await end(of: user.load())
        network["GET /users/ann"] = Answer(status: 304, headers: [:], body: "")
        let info = await end(of: user.load())
        #expect(!info.isNew)
        #expect(network.requests.last?.value(forHTTPHeaderField: "If-None-Match") == "v1")
        #expect(user.jsonDict["name"] as? String == "Ann")
    }

    @Test("resources are equal when they are the same, and say what they know")
    func identity() async {
        #expect(user == service.resource("/users/ann"))
        #expect(Set([user, service.resource("/users/ann")]).count == 1)
        #expect(user != service.resource("/users/bob"))
        #expect("\(user)".contains("users/ann"))
        #expect(user.description == "\(user)")
    }
}
