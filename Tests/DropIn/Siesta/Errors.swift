import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Siesta: errors")
struct ErrorTests {
    let network = StubNetwork()
    let service: Service

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
    }

    private func failure(_ path: String, _ answer: Answer) async -> RequestError? {
        network["GET \(path)"] = answer
        let resource = service.resource(path)
        await end(of: resource.load())
        return resource.latestError
    }

    @Test("RequestError(response:content:cause:userMessage:): each argument left out and given")
    func ofResponse() {
        let head = HTTPURLResponse(
            url: URL(fileURLWithPath: "/"), statusCode: 404, httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "text/plain"])
        let error = RequestError(response: head, content: "gone", cause: nil)
        #expect(error.httpStatusCode == 404)
        #expect(error.entity?.text == "gone")
        #expect(error.entity?.contentType == "text/plain")
        #expect(error.text == "gone")
        #expect(error.userMessage.lowercased() == "not found")
        #expect(error.cause == nil)
        #expect(abs(error.timestamp - Date.timeIntervalSinceReferenceDate) < 60)
        let all = RequestError(response: nil, content: nil, cause: Refusal(), userMessage: "no")
        #expect(all.userMessage == "no")
        #expect(all.cause is Refusal)
        #expect(all.entity == nil && all.httpStatusCode == nil)
    }

    @Test("RequestError(userMessage:cause:entity:), and what can be changed in it")
    func ofMessage() {
        var error = RequestError(userMessage: "no", cause: Refusal())
        error.userMessage = "never"
        error.httpStatusCode = 418
        error.cause = nil
        error.entity = Entity<Sendable>(content: "tea", contentType: "text/plain")
        #expect(error.typedContent() == "tea")
        #expect(error.entityForTypedContentAccessors?.contentType == "text/plain")
        let all = RequestError(
            userMessage: "no", cause: Refusal(), entity: Entity<Sendable>(content: ["a": 1], contentType: "a/json"))
        #expect(all.jsonDict["a"] as? Int == 1)
        #expect(all.jsonArray.isEmpty)
    }

    @Test("an error of a server has its status and its body, also an empty one")
    func ofServer() async {
        let error = await failure("/a", .json(#"{"message": "no"}"#, status: 403))
        #expect(error?.httpStatusCode == 403)
        #expect(error?.jsonDict["message"] as? String == "no")
        // The example app's way to take 404 for `false`.
        let missing = await failure("/b", Answer(status: 404, headers: [:], body: ""))
        if missing?.httpStatusCode == 404, var entity = missing?.entity {
            entity.content = false
            #expect(entity.typedContent() == false)
        } else {
            Issue.record("an error without a body has no entity")
        }
    }

    @Test("causes: no address, no connection, cancelled, nothing known for 304")
    func causes() async {
        let wrong = await end(of: service.resource(absoluteURL: "http://[").load()).error
        #expect((wrong?.cause as? RequestError.Cause.InvalidURL)?.urlSource as? String == "http://[")
        let offline = await failure("/a", Answer(error: URLError(.notConnectedToInternet)))
        #expect((offline?.cause as? URLError)?.code == .notConnectedToInternet)
        let unchanged = await failure("/b", Answer(status: 304, headers: [:], body: ""))
        #expect(unchanged?.cause is RequestError.Cause.NoLocalDataFor304)
        #expect(RequestError.Cause.RequestCancelled(networkError: nil).networkError == nil)
    }

    @Test("causes: text and pictures that cannot be read")
    func unreadable() async {
        let odd = await failure("/a", Answer(headers: ["Content-Type": "text/plain; charset=oddball"], body: "a"))
        #expect((odd?.cause as? RequestError.Cause.InvalidTextEncoding)?.encodingName == "oddball")
        let wrong = await failure("/b", Answer(headers: ["Content-Type": "text/plain; charset=ascii"], body: "ä"))
        #expect((wrong?.cause as? RequestError.Cause.UndecodableText)?.encoding == .ascii)
        let picture = await failure("/c", Answer(headers: ["Content-Type": "image/png"], body: "no picture"))
        #expect(picture?.cause is RequestError.Cause.UnparsableImage)
        let atom = await failure("/d", .json("7"))
        let cause = atom?.cause as? RequestError.Cause.JSONResponseIsNotDictionaryOrArray
        #expect(cause?.actualType is NSNumber.Type)
    }

    @Test("the causes that no test above has, by name")
    func names() {
        let causes: [Error.Type] = [
            RequestError.Cause.InvalidURL.self, RequestError.Cause.UnencodableText.self,
            RequestError.Cause.InvalidJSONObject.self, RequestError.Cause.NotURLEncodable.self,
            RequestError.Cause.RequestCancelled.self, RequestError.Cause.NoLocalDataFor304.self,
            RequestError.Cause.InvalidTextEncoding.self, RequestError.Cause.UndecodableText.self,
            RequestError.Cause.JSONResponseIsNotDictionaryOrArray.self, RequestError.Cause.UnparsableImage.self,
            RequestError.Cause.WrongInputTypeInTranformerPipeline.self, RequestError.Cause.TransformerReturnedNil.self,
        ]
        #expect(causes.count == 12)
        func offender(_ cause: RequestError.Cause.NotURLEncodable) -> String { cause.offendingString }
        #expect(offender(RequestError.Cause.NotURLEncodable(offendingString: "a")) == "a")
    }

    @Test("RequestError as the Error of a program's own functions")
    func asError() {
        func load() -> Result<String, RequestError> { .failure(RequestError(userMessage: "no", cause: Refusal())) }
        do {
            _ = try load().get()
            Issue.record("nothing was thrown")
        } catch {
            let userMessage = (error as Error as? RequestError)?.userMessage
            #expect(userMessage == "no")
        }
    }

    @Test("the texts that Siesta has for users")
    func userMessages() async {
        // guide: texts of `userMessage`, which an app can translate
        let resource = service.resource("/a")
        let unsent = await end(of: resource.request(.post, text: "ä", encoding: .ascii)).error
        #expect(unsent?.userMessage == "Cannot send request")
        let unsendable = await end(of: resource.request(.post, json: [Date()])).error
        #expect(unsendable?.userMessage == "Cannot send request")
        let nowhere = await end(of: service.resource(absoluteURL: nil).load()).error
        #expect(nowhere?.userMessage == "Cannot send request with invalid URL")
        network.hold()
        let request = resource.load()
        request.cancel()
        #expect(await end(of: request).error?.userMessage == "Request cancelled")
        network.answerAll()
        #expect(await failure("/b", .json("no")).map(\.userMessage) == "Cannot parse server response")
        #expect(await failure("/c", Answer(status: 304, headers: [:])).map(\.userMessage) == "No data available")
        #expect(RequestError(response: nil, content: nil, cause: nil).userMessage == "Request failed")
    }
}
