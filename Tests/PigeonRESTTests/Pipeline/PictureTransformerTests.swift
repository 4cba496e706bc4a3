import Foundation
import PigeonREST
import Testing

@Suite("Pictures of a type that does not say that it is Sendable")
struct PictureTransformerTests {
    private final class Picture {
        let size: Int
        init(size: Int) { self.size = size }
    }

    private func transformer(errors: Bool = false) -> PictureTransformer<Picture> {
        PictureTransformer(transformErrors: errors) { $0.first == 0xFF ? Picture(size: $0.count) : nil }
    }

    private func image(_ bytes: [UInt8]) -> Response { .success(.body(Data(bytes), "image/png")) }

    @Test func `bytes become the picture itself`() {
        let response = transformer().process(image([0xFF, 1, 2]))
        #expect((response.entity?.content as? Picture)?.size == 3)
    }

    @Test func `a picture stays the one that it is`() {
        let first = transformer().process(image([0xFF, 1]))
        let second = transformer().process(first)
        #expect(first.entity?.content as? Picture === second.entity?.content as? Picture)
        #expect(second.entity?.content is Picture)
    }

    @Test func `other bytes are no picture, and other content no bytes`() {
        #expect(transformer().process(image([1])).cause(RequestError.Cause.UnparsableImage.self) != nil)
        let text = Response.success(Entity(content: "text", contentType: "image/png"))
        #expect(
            transformer().process(text).cause(RequestError.Cause.WrongInputTypeInTranformerPipeline.self) != nil)
        #expect(transformer().process(image([])).entity?.content as? Data == Data())
    }

    @Test(arguments: [false, true])
    func `the bodies of errors become pictures when they are to`(transformsErrors: Bool) {
        let error = RequestError(userMessage: "no", cause: nil, entity: .body(Data([0xFF]), "image/png"))
        let content = transformer(errors: transformsErrors).process(.failure(error)).error?.entity?.content
        #expect(content is Picture == transformsErrors)
        #expect(content is Data != transformsErrors)
    }
}
