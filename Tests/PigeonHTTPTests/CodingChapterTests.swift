import Foundation
import PigeonHTTP
import Testing

/// The chapters on encoding and decoding of the documentation that PigeonHTTP follows, as they are written there.
@Suite("The chapters on encoding and decoding")
struct CodingChapterTests {
    private struct Post: Codable, Equatable {
        let id: Int
        let at: Date
    }

    private let myCodable = Post(id: 7, at: Date(timeIntervalSince1970: 1_700_000_000))

    @Test("Encode a string, an object, an encodable value and bytes")
    func encoding() throws {
        let jsonString = #"{"name":"Kevin Malone"}"#
        do {
            var request = BasicRequest(method: .post, path: "/users")
            request.setJSONBody(string: jsonString, encoding: .utf8)
            #expect(request.httpBody == Data(jsonString.utf8))
        }
        do {
            let jsonObject: [String: Any?] = [
                "id": "123",
                "name": "Kevin Malone",
            ]

            var request = BasicRequest(method: .post, path: "/users")
            try request.setJSONBody(jsonObject: jsonObject)
            let object = try Answer(body: request.httpBody).decode([String: String].self)
            #expect(object == ["id": "123", "name": "Kevin Malone"])
        }
        do {
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(encodable: myCodable)
            #expect(try Answer(body: request.httpBody).decode(Post.self) == myCodable)
            #expect(request.headers == ["Content-Type": "application/json"])
        }
        do {
            let myData = Data([1, 2])
            var request = BasicRequest(method: .post, path: "/users")
            request.httpBody = myData
            #expect(request.body == .data(myData) && request.headers.isEmpty)
        }
    }

    @Test("A request made in a future is made when it is started")
    func wrapped() async throws {
        let dispatcher = Echo()
        let answer = try await dispatcher.future(from: { [myCodable] in
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(myCodable)
            return request
        }).error({ error in
            Issue.record(error)
        }).value
        #expect(try answer.decode(Post.self) == myCodable)
    }

    @Test("What is thrown while a request is made reaches the error callback")
    func wrappedFailure() async {
        let errors = Locked(0)
        let future = Echo().future(from: {
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody([Double.nan])
            return request
        }).error({ error in
            if case .invalidBody = error as? RequestError { errors.withLock { $0 += 1 } }
        })
        await #expect(throws: RequestError.self) { try await future.value }
        #expect(errors.withLock { $0 } == 1)
    }

    @Test("Unwrap bytes, and decode a string and a value, in a callback")
    func decoding() async throws {
        let dispatcher = Echo()
        var request = BasicRequest(method: .post, path: "/posts")
        try request.setJSONBody([myCodable])
        let printed = Locked(0)
        let print = { @Sendable (value: any Sendable) in printed.withLock { $0 += 1 } }

        _ = try await dispatcher.future(from: request).response({ response in
            let data = try response.unwrapData()

            // do something with data.
            print(data)
        }).value
        _ = try await dispatcher.future(from: request).response({ response in
            let string = try response.decodeString(encoding: .utf8)

            // do something with string.
            print(string)
        }).value
        _ = try await dispatcher.future(from: request).response({ response in
            let posts = try response.decode([Post].self)

            // do something with the decodable object.
            print(posts.count)
        }).value
        #expect(printed.withLock { $0 } == 3)
    }

    @Test("A callback that finds no bytes, or others, triggers the error callback")
    func decodingFailure() async {
        let request = BasicRequest(method: .get, path: "/posts")
        await #expect(throws: SerializationError.self) {
            try await Echo().future(from: request).response({ response in
                let data = try response.unwrapData()
                Issue.record("\(data)")
            }).value
        }
    }
}

/// Answers with what it is sent.
private struct Echo: Dispatcher {
    func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture(result: Answer(body: request.httpBody))
    }
}
