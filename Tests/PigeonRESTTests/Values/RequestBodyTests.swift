import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("the body of a request", .rule("Siesta 15"))
struct RequestBodyTests {
    @Test("a form is sorted, a blank is %20, and all that could mean something is escaped", .rule("Siesta 15"))
    func form() {
        let body = RequestBody.urlEncoded(["b": "1 2", "a+&=": "é/?", "c": "", "*": "~-._"])
        #expect(String(decoding: body, as: UTF8.self) == "%2A=~-._&a%2B%26%3D=%C3%A9%2F%3F&b=1%202&c=")
        #expect(RequestBody.urlEncoded([:]).isEmpty)
    }

    @Test("a form is in the order of its escaped pairs", .rule("U10"))
    func formOrder() {
        func form(_ names: String...) -> String {
            String(decoding: RequestBody.urlEncoded(Dictionary(names.map { ($0, "1") }) { $1 }), as: UTF8.self)
        }
        #expect(form("z", "é", "a") == "%C3%A9=1&a=1&z=1")
        #expect(form("a", "a-b", "a b") == "a%20b=1&a-b=1&a=1")
    }

    @Test("text is written in its encoding, and what cannot be is an error", .rule("Siesta 15"))
    func text() throws {
        #expect(try RequestBody.text("é", encoding: .utf8) == Data([0xC3, 0xA9]))
        #expect(try RequestBody.text("é", encoding: .isoLatin1) == Data([0xE9]))
        let error = #expect(throws: RequestError.self) { try RequestBody.text("é", encoding: .ascii) }
        let cause = try #require(error?.cause as? RequestError.Cause.UnencodableText)
        #expect(cause.encoding == .ascii)
        #expect(cause.text == "é")
    }

    @Test("the content type of a text names its encoding", .rule("Siesta 15"))
    func contentTypes() {
        #expect(RequestBody.contentType("text/plain", encoding: .utf8) == "text/plain; charset=utf-8")
        #expect(RequestBody.contentType("text/plain", encoding: .isoLatin1) == "text/plain; charset=iso-8859-1")
        #expect(RequestBody.contentType("text/plain; charset=x", encoding: .utf8) == "text/plain; charset=x")
    }

    @Test("JSON is written, nil and whole numbers too", .rule("Siesta 15"))
    func json() throws {
        let body = try RequestBody.json(["b": [1, 2.5, true, nil] as [Any?], "a": "x"] as [String: Any])
        #expect(String(decoding: body, as: UTF8.self) == #"{"a":"x","b":[1,2.5,true,null]}"#)
        #expect(try RequestBody.json([] as [Int]) == Data("[]".utf8))
    }

    @Test("what JSON cannot express is an error, not a crash", .rule("Siesta 15"))
    func invalidJSON() throws {
        let objects: [any JSONConvertible] = [["a": Date()] as [String: Any], [Double.nan], [Double.infinity], [1: 2]]
        for object in objects {
            let error = #expect(throws: RequestError.self) { try RequestBody.json(object) }
            #expect(error?.cause is RequestError.Cause.InvalidJSONObject)
            #expect(error?.userMessage == "Cannot send request")
        }
    }
}
