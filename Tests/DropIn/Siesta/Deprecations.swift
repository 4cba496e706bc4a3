import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// guide: `InputTypeMismatchAction`, `logger`, which were deprecated
/// Code with names that Siesta had deprecated already. Called through a protocol, it builds here without their warnings.
private protocol OldCode {
    static func initializers(_ network: StubNetwork) -> [Service]
    static func failure() -> Request
    static func isOver(_ request: Request) -> Bool
    static func category() -> SiestaLog.Category
}

private enum Siesta1_2: OldCode {
    @available(*, deprecated)
    static func initializers(_ network: StubNetwork) -> [Service] {
        [
            Service(useDefaultTransformers: true),
            Service(baseURL: "https://example.com", useDefaultTransformers: true, networking: network),
            Service(baseURL: "https://example.com", useDefaultTransformers: false, networking: network),
        ]
    }

    @available(*, deprecated)
    static func failure() -> Request {
        Resource.failedRequest(RequestError(userMessage: "no", cause: Refusal()))
    }

    static func isOver(_ request: Request) -> Bool { request.isCompleted }

    @available(*, deprecated)
    static func category() -> SiestaLog.Category {
        let category: LogCategory = .network
        return category
    }
}

/// The example app's transformer, which logs what it does.
private struct TrueIfFound: ResponseTransformer {
    @available(*, deprecated)
    func process(_ response: Response) -> Response {
        switch response {
        case .success(var entity):
            entity.content = true
            return logTransformation(.success(entity))
        case .failure(let error):
            if error.httpStatusCode == 404, var entity = error.entity {
                entity.content = false
                return logTransformation(.success(entity))
            }
            return response
        }
    }
}

@MainActor
@Suite("Siesta: what it had deprecated")
struct DeprecationTests {
    private let old: any OldCode.Type = Siesta1_2.self
    let network = StubNetwork(["GET /a": .json(#"{"name": "Ann"}"#), "GET /b": .text("", status: 404)])

    @Test("Service(baseURL:useDefaultTransformers:networking:)")
    func initializers() async {
        let services = old.initializers(network)
        #expect(services[0].baseURL == nil)
        for service in services[1...] { await end(of: service.resource("/a").load()) }
        #expect(services[1].resource("/a").jsonDict["name"] as? String == "Ann")
        #expect(services[2].resource("/a").latestData?.content is Data)
    }

    @Test("failedRequest(_:), isCompleted, LogCategory")
    func names() async {
        let failure = old.failure()
        let isOver = old.isOver(failure)
        #expect(isOver)
        #expect(await end(of: failure).error?.userMessage == "no")
        let category = old.category()
        #expect(category == .network)
    }

    @Test("logTransformation(_:) returns the response")
    func logging() async {
        // guide: `ResponseTransformer.logTransformation(_:)`
        let service = Service(baseURL: "https://example.com", networking: network)
        service.configure { $0.pipeline[.model].add(TrueIfFound()) }
        let (found, missing) = (service.resource("/a"), service.resource("/b"))
        await end(of: found.load())
        await end(of: missing.load())
        #expect(found.typedContent() == true)
        #expect(missing.typedContent() == false)
    }
}
