import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import TestServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Services and a real server")
struct LoopbackServiceTests {
    /// Returns a service for each kind of networking.
    private func services(_ server: LoopbackServer) throws -> [Service] {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil  // with it, Foundation on Linux may end the process when a request is cancelled
        let session = URLSession(configuration: configuration)
        let dispatcher = NetworkDispatcher(baseURL: server.url())
        let networkings: [any NetworkingProviderConvertible] = [URLSessionConfiguration.ephemeral, session, dispatcher]
        return networkings.map { Service(baseURL: server.url("/v1"), networking: $0, client: QueryClient()) }
    }

    @Test("a load brings parsed content, and the next one is told that nothing has changed")
    func revalidation() async throws {
        try await withLoopback { request in
            guard request.headers["If-None-Match"] != "\"1\"" else { return .status(304) }
            return .status(
                200, ["Content-Type": "application/json", "ETag": "\"1\""], body: Data(#"{"name":"Ann"}"#.utf8))
        } test: { server in
            for service in try services(server) {
                let resource = service.resource("/users/1")
                let first = await resource.load().response()
                #expect(first.isNew)
                #expect(resource.jsonDict["name"] as? String == "Ann")
                let second = await resource.load().response()
                #expect(!second.isNew)
                #expect(second.response.isSuccess)
                #expect(resource.latestError == nil)
            }
            #expect(server.requests.map(\.target) == Array(repeating: "/v1/users/1", count: 6))
        }
    }

    @Test("a refusal keeps the content, and says its status, and what the server says")
    func refusal() async throws {
        try await withLoopback { request in
            request.method == "GET"
                ? .ok("Ann", ["Content-Type": "text/plain"]) : .json(#"{"message":"no"}"#, status: 422)
        } test: { server in
            for service in try services(server) {
                let resource = service.resource("/users/1")
                _ = await resource.load().response()
                let info = await resource.load(using: resource.request(.put, json: ["name": "Bob"])).response()
                #expect(!info.response.isSuccess)
                #expect(resource.text == "Ann")
                #expect(resource.latestError?.httpStatusCode == 422)
                #expect(resource.latestError?.jsonDict["message"] as? String == "no")
            }
            #expect(
                server.requests.filter { $0.method == "PUT" }.map(\.text)
                    == Array(repeating: #"{"name":"Bob"}"#, count: 3))
        }
    }

    @Test("issues #11, #245: an answer with status 204 is a success, whatever would have been made of a body")
    func noContent() async throws {
        try await withLoopback { _ in
            .status(204, ["Content-Type": "application/json"])
        } test: { server in
            for service in try services(server) {
                service.configure("**", decoding: [String].self)
                let info = await service.resource("/users/1").request(.delete).response()
                #expect(info.response.isSuccess)
            }
        }
    }

    @Test("cancelling closes the connection, and is no error")
    func cancel() async throws {
        try await withLoopback { _ in
            .silence
        } test: { server in
            for (number, service) in try services(server).enumerated() {
                let resource = service.resource("/users/1")
                let request = resource.load()
                await server.received(number + 1)
                request.cancel()
                #expect(!resource.isLoading)
                #expect(resource.latestError == nil)
            }
            await server.connectionsBecome(0)
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
