import Foundation
import PigeonHTTP
import PigeonREST
import TestSupport
import Testing

/// Imports both modules as a whole, so that a name that became ambiguous would not compile here.
@Suite("Names that PigeonHTTP and PigeonREST share")
struct SharedNamesTests {
    @Test(.rule("R8")) func `each shared name has another name in each module, which is used in this file`() throws {
        let http = try Self.names(declaredIn: "PigeonHTTP")
        let rest = try Self.names(declaredIn: "PigeonREST")
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(http.isSuperset(of: ["Request", "AsyncHTTPClientTransport", "DispatcherResponse"]))
        for name in http.intersection(rest) {
            for (names, own) in [(http, "Dispatcher" + name), (rest, "Resource" + name)] {
                #expect(names.contains(own), "both modules have \(name): declare \(own)")
                #expect(code.contains(own), "use \(own) in this file")
            }
        }
    }

    @Test(.rule("R8")) func `the names of PigeonHTTP work beside PigeonREST`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/ping", with: .text("pong"))
        let dispatcher = NetworkDispatcher(baseURL: try #require(URL(string: "https://h")), transport: mock)
        let requests: [any DispatcherRequest] = [Ping(), BasicRequest.get("/ping")]
        for request in requests {
            let response: DispatcherResponse<Data?> = try await dispatcher.response(from: request)
            #expect(try response.decodeString() == "pong")
        }
        #expect(throws: DispatcherRequestError.self) { try FixedServer(nil).url(from: Ping()) }
    }

    @Test(.rule("R8")) func `the names of PigeonREST work beside PigeonHTTP`() async {
        let mock = MockTransport()
        mock.answer(.get, "/ping", with: .text("pong"))
        let service = PigeonREST.Service(baseURL: "https://h", networking: mock, client: QueryClient())
        service.configure { $0.pipeline[.cleanup].add(Refusing()) }
        let request: any ResourceRequest = service.resource("/ping").load()
        let response: ResourceResponse = await request.response().response
        #expect(throws: ResourceRequestError.self) { try response.get() }
    }

    // MARK: The sources

    /// The names of a module's public declarations that are not members.
    private static func names(declaredIn module: String) throws -> Set<String> {
        let files = Page.files(in: "Sources/\(module)", withExtension: "swift")
        return try Set(files.flatMap { file in names(in: try String(contentsOf: file, encoding: .utf8)) })
    }

    /// A declaration that is not a member begins its line, or is indented once in a condition for the compiler.
    private static func names(in text: String) -> [String] {
        let declaration = declaration
        var isConditional = false
        return text.split(separator: "\n").compactMap { line in
            if line.first != " " { isConditional = line.first == "#" }
            guard let match = String(line).firstMatch(of: declaration), match.output.1.isEmpty || isConditional else {
                return nil
            }
            return String(match.output.2)
        }
    }

    private static var declaration: Regex<(Substring, Substring, Substring)> {
        #/
        ^ ((?:\ {4})?) (?:@\S+\ )* # Its indentation and attributes.
        (?:public|open)\ (?:(?:final|indirect|nonisolated)\ )?
        (?:class|struct|enum|protocol|actor|typealias|func|let|var)\ (\w+)
        /#
    }
}

private struct Ping: DispatcherRequest {
    let method = HTTPMethod.get
    let path = "/ping"
    let queryItems: [URLQueryItem] = []
    let headers: [String: String] = [:]
    let httpBody: Data? = nil
}

private struct Refusing: ResponseTransformer {
    func process(_ response: ResourceResponse) -> ResourceResponse {
        .failure(ResourceRequestError(userMessage: "refused", cause: nil))
    }
}
