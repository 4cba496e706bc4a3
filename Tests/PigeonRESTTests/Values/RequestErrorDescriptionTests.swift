import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("What errors print")
struct RequestErrorDescriptionTests {
    private struct Private: Error {
        var token = "secret"
    }

    @Test("No error prints a body, a header value, a query, credentials or what a foreign error holds")
    func secrets() throws {
        let body = Entity<any Sendable>(content: "secret", contentType: "text/plain", headers: ["Set-Cookie": "secret"])
        let causes: [any Error] = [
            Private(), RequestError.Cause.UnencodableText(encoding: .ascii, text: "secret"),
            RequestError.Cause.InvalidURL(urlSource: "https://secret@h/?secret"),
            RequestError.Cause.NotURLEncodable(offendingString: "secret"),
            RequestError.Cause.RequestCancelled(networkError: Private()),
        ]
        for cause in causes {
            var error = RequestError(userMessage: "secret", cause: cause, entity: body)
            error.httpStatusCode = 500
            error.url = URL(string: "https://me:secret@example.com/a?token=secret#secret")
            for text in ["\(error)", String(reflecting: error), "\(Response.failure(error))"] {
                #expect(!text.contains("secret"))
                #expect(text.contains("https://example.com/a"))
                #expect(text.contains("500"))
            }
            if !(cause is Private) { #expect(!"\(cause)".contains("secret")) }
        }
    }

    @Test("The causes say what was expected and what was there")
    func types() {
        let transformer = JSONResponseTransformer()
        let wrongInput = RequestError.Cause.WrongInputTypeInTranformerPipeline(
            expectedType: Data.self, actualType: Int.self, transformer: transformer)
        let wrongContent = RequestError.Cause.WrongContentType(expected: String.self, actual: Int.self)
        #expect("\(wrongInput)".contains("Data") && "\(wrongInput)".contains("Int"))
        #expect("\(wrongContent)".contains("String") && "\(wrongContent)".contains("Int"))
    }

    @Test("the causes have texts for users beside, in Siesta's words", .rule("A42", "N3"))
    func forUsers() {
        typealias Cause = RequestError.Cause
        let transformer = JSONResponseTransformer()
        let causes: [String: [any Error]] = [
            "Cannot send request with invalid URL": [Cause.InvalidURL(urlSource: "hush")],
            "Cannot send request": [
                Cause.UnencodableText(encoding: .ascii, text: "hush"), Cause.InvalidJSONObject(),
                Cause.NotURLEncodable(offendingString: "hush"),
            ],
            "Request cancelled": [Cause.RequestCancelled(networkError: Private()), CancellationError()],
            "No data available": [Cause.NoLocalDataFor304()],
            "Cannot parse server response": [
                Cause.InvalidTextEncoding(encodingName: "hush"), Cause.UndecodableText(encoding: .utf8),
                Cause.JSONResponseIsNotDictionaryOrArray(actualType: Int.self), Cause.UnparsableImage(),
                Cause.WrongInputTypeInTranformerPipeline(
                    expectedType: Data.self, actualType: Int.self, transformer: transformer),
                Cause.TransformerReturnedNil(transformer: transformer),
                Cause.WrongContentType(expected: String.self, actual: Int.self),
            ],
            "Something went wrong.": [Private()],
        ]
        for (text, causes) in causes {
            for cause in causes {
                #expect(cause.userMessage == text)
                expectReadable(RequestError(response: nil, content: nil, cause: cause))
            }
        }
    }

    @Test("A configuration prints the names of its headers alone")
    func configuration() {
        var configuration = Configuration()
        configuration.headers["Authorization"] = "secret"
        #expect("\(configuration)".contains("Authorization"))
        #expect(!"\(configuration)".contains("secret"))
        #expect(!String(reflecting: configuration).contains("secret"))
    }

    @Test("Who a cache is for is not printed")
    func isolation() {
        #expect(!"\(DataIsolation.perUser(identifiedBy: "secret"))".contains("secret"))
    }
}
