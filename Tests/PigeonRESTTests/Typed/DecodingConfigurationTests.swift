import Foundation
import PigeonHTTP
import PigeonREST
import Testing

@Suite("Configuring how content is decoded")
struct DecodingConfigurationTests {
    struct User: Codable, Sendable, Equatable {
        var name: String
    }

    let transport = MockTransport()
    let service: Service

    init() {
        service = Service(baseURL: "https://api.test", networking: transport, client: QueryClient())
        service.configure("/users/*", decoding: User.self)
    }

    @Test("Content is of the type, past the parsing of JSON")
    func decoding() async throws {
        transport.answer(.get, "/users/:id") { _, _ in try .json(User(name: "Ann")) }
        #expect(try await service.resource("/users/1").typed(User.self).loadedIfNeeded() == User(name: "Ann"))
    }

    @Test("What cannot be decoded is an error with its status and body, and what was there stays")
    func failing() async throws {
        let user = service.resource("/users/1").typed(User.self)
        user.overrideLocalContent(with: User(name: "Ann"))
        transport.answer(.get, "/users/:id", with: .text("{}", headers: ["Content-Type": "application/json"]))
        let info = await user.load().response()
        guard case .failure(let error) = info.response else { return #expect(Bool(false)) }
        #expect(error.cause is DecodingError)
        #expect(error.httpStatusCode == 200)
        #expect(error.typedContent() == Data("{}".utf8))
        #expect(user.content == User(name: "Ann"))
        #expect(user.latestError?.cause is DecodingError)
    }

    @Test("The body of an error, and of an answer without one, is left as it is")
    func errors() async throws {
        transport.answer(.get, "/users/:id", with: .text("{\"message\": \"no\"}", status: .notFound))
        let info = await service.resource("/users/1").load().response()
        guard case .failure(let error) = info.response else { return #expect(Bool(false)) }
        #expect(error.typedContent() == Data("{\"message\": \"no\"}".utf8))
        transport.answer(.delete, "/users/:id", with: .status(.noContent))
        let deleted = await service.resource("/users/1").request(.delete).response()
        #expect((try? deleted.response.get()) != nil)
    }

    @Test("A typed resource is followed as its states")
    func following() async throws {
        transport.answer(.get, "/users/:id") { _, _ in try .json(User(name: "Ann")) }
        let contents = service.resource("/users/1").typed(User.self).states.compactMap { $0.content }
        for await content in contents {
            #expect(content == User(name: "Ann"))
            break
        }
    }
}
