import Foundation
import PigeonFutures
import SeedSupport
import TestSupport
import Testing

/// The example of a value to encode.
private let myCodable = Post(id: 7, userId: 3)

extension Seed003 {
    @MainActor
    struct Encoding {
        // "Encode JSON String"
        @Test func `a string of JSON`() {
            let jsonString = #"{"id":"123"}"#
            // [003.14
            var request = BasicRequest(method: .post, path: "/users")
            request.setJSONBody(string: jsonString, encoding: .utf8)
            // 003.14]
            #expect(request.httpBody == Data(jsonString.utf8))
            #expect(request.headers["Content-Type"] == "application/json")
        }

        // "Encode JSON Object"
        @Test func `an object of JSON`() throws {
            // swift-format-ignore
            // [003.15
            let jsonObject: [String: Any?] = [
                "id": "123",
                "name": "Kevin Malone"
            ]

            var request = BasicRequest(method: .post, path: "/users")
            try request.setJSONBody(jsonObject: jsonObject)
            // 003.15]
            let sent = try JSONSerialization.jsonObject(with: #require(request.httpBody)) as? [String: String]
            #expect(sent == ["id": "123", "name": "Kevin Malone"])
            #expect(request.headers["Content-Type"] == "application/json")
        }

        // "Encode Encodable"
        @Test func `an encodable value`() throws {
            // [003.16
            var request = BasicRequest(method: .post, path: "/posts")
            try request.setJSONBody(encodable: myCodable)
            // 003.16]
            #expect(try JSONDecoder().decode(Post.self, from: #require(request.httpBody)) == myCodable)
            #expect(request.headers["Content-Type"] == "application/json")
        }

        // "Custom Encoding (By setting the Data object)"
        @Test func `bytes as they are`() {
            let myData = Data([0, 1])
            // [003.17
            var request = BasicRequest(method: .post, path: "/users")
            request.httpBody = myData
            // 003.17]
            #expect(request.httpBody == myData)
            #expect(request.headers["Content-Type"] == nil)
        }

        // "Wrap Encoding In a ResponseFuture"
        private func wrap(_ dispatcher: Asked, _ myCodable: some Encodable & Sendable, _ journal: Journal) {
            // [003.18
            dispatcher.future(from: {
                var request = BasicRequest(method: .post, path: "/posts")
                try request.setJSONBody(myCodable)
                return request
            }).error({ error in
                // Any error thrown while creating the request will trigger this callback.
                journal.add("error \((error as? RequestDefect)?.errorKey ?? "other")")
            }).send()
            // 003.18]
        }

        @Test func `a request is made when its future is started, and sent`() async throws {
            let dispatcher = Asked()
            wrap(dispatcher, myCodable, Journal())
            await until { dispatcher.requests == ["POST /posts"] && dispatcher.bodies.count == 1 }
            #expect(try dispatcher.bodies.map { try JSONDecoder().decode(Post.self, from: $0) } == [myCodable])
        }

        @Test func `what is thrown while a request is made triggers the error callback, and nothing is sent`() async {
            let (dispatcher, journal) = (Asked(), Journal())
            wrap(dispatcher, [Double.nan], journal)
            #expect(await journal.take(until: "error InvalidBody") == ["error InvalidBody"])
            #expect(dispatcher.requests == [])
        }
    }
}
