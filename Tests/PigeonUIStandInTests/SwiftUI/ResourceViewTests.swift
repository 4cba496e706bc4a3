import Foundation
import PigeonHTTP
import PigeonUI
import SwiftUI
import Testing

import class PigeonREST.Service

@MainActor
@Suite("Views of resources")
struct ResourceViewTests {
    private let mock = MockTransport()
    private let service: Service

    init() {
        service = Service(baseURL: "https://api.example.com", networking: mock)
        service.configure("/people/*", decoding: [Person].self)
    }

    private func people(_ path: String = "/people/all") -> Screen {
        let service = service
        return Screen { ResourceView(service.resource(path).typed([Person].self), content: names) }
    }

    @Test func `a resource is loaded when it is shown, once for all who show it and however often they are built`()
        async
    {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        mock.answer(.get, "/people/all") { _, _ in
            for await _ in gate {}  // an answer that is there at once shows no progress
            return try .json([ann])
        }
        let (one, two) = (people(), people())
        #expect(one.text == "(progress)")
        opener.finish()
        #expect(await one.wait { $0 == "List\n  Ann" })
        #expect(await two.wait { $0 == "List\n  Ann" })
        one.rebuild()
        #expect(mock.requests.count == 1)
    }

    @Test func `a failure is told and retried`() async {
        mock.answer(.get, "/people/all", with: .status(.notFound), then: .status(.internalServerError))
        let screen = people()
        #expect(await screen.wait { $0.contains("Not Found\n[Try Again]") })
        mock.answer(.get, "/people/all") { _, _ in try .json([bob]) }
        screen.tap("Try Again")
        #expect(await screen.wait { $0 == "List\n  Bob" })
        #expect(mock.requests.count == 2)
    }

    @Test func `another resource is followed in place of the one before`() async {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        mock.answer(.get, "/people/:group") { _, values in
            guard values["group"] != "a" else { return try .json([ann]) }
            for await _ in gate {}
            return try .json([bob])
        }
        let path = Choice("/people/a")
        let service = service
        let screen = Screen { ResourceView(service.resource(path.value).typed([Person].self), content: names) }
        #expect(await screen.wait { $0 == "List\n  Ann" })
        path.value = "/people/b"
        screen.rebuild()
        #expect(screen.text == "(progress)")
        opener.finish()
        #expect(await screen.wait { $0 == "List\n  Bob" })
    }

    @Test func `a view that is gone lets its resource go`() async {
        mock.answer(.get, "/people/all") { _, _ in try .json([ann]) }
        let screen = people()
        #expect(await screen.wait { $0 == "List\n  Ann" })
        weak let resource = service.resource("/people/all")
        screen.close()
        #expect(await screen.wait { _ in resource == nil })
    }
}
