import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("Text")
struct TextTests {
    private func text(_ bytes: [UInt8], charset: String? = nil) -> Response {
        let type = "text/plain" + (charset.map { "; charset=\($0)" } ?? "")
        return TextResponseTransformer().process(.success(.body(Data(bytes), type)))
    }

    @Test("the charset of an answer counts; without one it is ISO-8859-1", .rule("Siesta 33"))
    func charsets() {
        #expect(text([0xE9]).content() == "é")
        #expect(text([0xC3, 0xA9], charset: "UTF-8").content() == "é")
        #expect(text([0x8E], charset: "\"Windows-1250\"").content() == "Ž")
    }

    @Test("a charset that is not known is an error that names it, with the body kept", .rule("Siesta 33"))
    func unknownCharset() async {
        let response = text([0x41], charset: "klingon")
        #expect(response.cause(RequestError.Cause.InvalidTextEncoding.self)?.encodingName == "klingon")
        var pipeline = Pipeline()
        pipeline.add(.text)
        let kept = await pipeline.process(.success(.body("A", "text/plain; charset=klingon"))).response
        #expect(kept.error?.entity?.content as? Data == Data("A".utf8))
    }

    @Test("bytes that are none of the charset are an error", .rule("Siesta 33"))
    func undecodable() {
        let cause = text([0xFF, 0xFE, 0x41], charset: "utf-8").cause(RequestError.Cause.UndecodableText.self)
        #expect(cause?.encoding == .utf8)
    }

    @Test("the bodies of errors become text too, and what fails leaves the error as it was", .rule("Siesta 33"))
    func errors() {
        func process(_ type: String, transformErrors: Bool = true) -> RequestError? {
            let error = RequestError(userMessage: "no", cause: nil, entity: .body("why", type))
            return TextResponseTransformer(transformErrors).process(.failure(error)).error
        }
        #expect(process("text/plain")?.text == "why")
        #expect(process("text/plain")?.userMessage == "no")
        #expect(process("text/plain; charset=klingon")?.entity?.content as? Data == Data("why".utf8))
        #expect(process("text/plain; charset=klingon")?.userMessage == "no")
        #expect(process("text/plain", transformErrors: false)?.entity?.content is Data)
    }

    @Test("what is not bytes is an error, a text too", .rule("U10"), arguments: ["text", 1] as [any Sendable])
    func types(content: any Sendable) {
        let cause = TextResponseTransformer().process(.success(Entity(content: content, contentType: "text/plain")))
            .cause(RequestError.Cause.WrongInputTypeInTranformerPipeline.self)
        #expect(cause?.expectedType is Data.Type)
        #expect(cause?.actualType == type(of: content))
    }

    @Test("Siesta #11: an empty body is an empty text, whatever its charset")
    func empty() {
        #expect(text([]).content() == "")
        #expect(text([], charset: "utf-8").content() == "")
        #expect(text([], charset: "klingon").error == nil)
    }
}
