import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("JSON")
struct JSONTests {
    private func json(_ text: String) -> Response {
        JSONResponseTransformer().process(.success(.body(text)))
    }

    @Test("Objects and arrays can be read as Foundation's, all the way down")
    func reading() throws {
        let entity = try #require(json(#"{"a":{"b":[1,"x",null]},"c":[]}"#).entity)
        let object = try #require(entity.jsonDict["a"] as? [String: Any])
        let array = try #require(object["b"] as? [Any])
        #expect(array[0] as? Int == 1)
        #expect(array[1] as? String == "x")
        #expect(array[2] is NSNull)
        #expect((entity.jsonDict["c"] as? [Any])?.isEmpty == true)
        #expect(json("[1,2]").content() == [1, 2])
        #expect(json(#"{"a":"b"}"#).content() == ["a": "b"])
    }

    @Test("Whole numbers are exact")
    func numbers() throws {
        let text = """
            {"one": 1, "zero": 0, "yes": true, "no": false, "half": 0.5, "point": 1.0, "minus": -3, "exp": 1.5e3,
             "least": -9223372036854775808, "most": 9223372036854775807, "more": 9223372036854775808,
             "huge": 123456789012345678901234567890}
            """
        let values = try #require(json(text).content([String: any Sendable].self))
        let whole = ["one": 1, "zero": 0, "minus": -3, "least": Int.min, "most": Int.max]
        for (name, number) in whole {
            #expect(values[name] is Int, "\(name)")
            #expect(values[name] as? Int == number)
        }
        for (name, number) in ["half": 0.5, "point": 1, "exp": 1500, "more": 0x1p63, "huge": 1.2345678901234568e29] {
            #expect(values[name] is Double, "\(name)")
            #expect(values[name] as? Double == number)
        }
        #expect(values["yes"] as? Bool == true)
        #expect(values["no"] as? Bool == false)
    }

    @Test(
        "JSON that is neither object nor array is an error that says what it is", .rule("Siesta 33"),
        arguments: [("\"x\"", "string"), ("1", "number"), ("1.5", "number"), ("true", "Boolean"), ("null", "null")])
    func fragments(text: String, type: String) {
        let cause = json(text).cause(RequestError.Cause.JSONResponseIsNotDictionaryOrArray.self)
        #expect(cause?.description == "The server's JSON is a \(type), not an object or an array.")
        #expect(cause?.actualType is NSObject.Type || cause?.actualType == String.self)
    }

    @Test("What is no JSON is an error, not a crash", arguments: ["{", "{]", "x", " ", "\u{0}", "[1,]x", "{\"a\":}"])
    func malformed(text: String) {
        let error = json(text).error
        #expect(error?.userMessage == "Cannot parse server response")
        #expect(error?.cause != nil)
    }

    @Test("A text as deep as it is long is an error or a content, not a crash")
    func depth() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(json(deep).error != nil)
    }

    @Test("JSON in UTF-16 is read too", .rule("Siesta 33"))
    func otherEncodings() throws {
        let data = try #require(#"{"a":"é"}"#.data(using: .utf16LittleEndian))
        #expect(JSONResponseTransformer().process(.success(.body(data))).content() == ["a": "é"])
    }

    @Test("the bodies of errors are parsed too, and what fails leaves the error as it was", .rule("Siesta 33"))
    func errors() {
        func process(_ text: String, transformErrors: Bool = true) -> RequestError? {
            let error = RequestError(userMessage: "no", cause: nil, entity: .body(text))
            return JSONResponseTransformer(transformErrors).process(.failure(error)).error
        }
        #expect(process(#"{"message":"limit"}"#)?.jsonDict["message"] as? String == "limit")
        #expect(process("<html>")?.entity?.content as? Data == Data("<html>".utf8))
        #expect(process("<html>")?.userMessage == "no")
        #expect(process("{}", transformErrors: false)?.entity?.content is Data)
    }
}
