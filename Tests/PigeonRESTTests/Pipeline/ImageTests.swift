import Foundation
import PigeonREST
import TestSupport
import Testing

#if !canImport(UIKit) && !canImport(AppKit)
    @Suite("Pictures, where there is no type for them")
    struct ImageTests {
        private static let texts = [
            "GIF89a", "GIF87a", "RIFF1234WEBPVP8 ", "BM12", "II*\0", "MM\0*", "\0\0\0\u{18}ftypheic",
            "\0\0\0\u{18}ftypmif1",
        ]
        private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
        private static let starts = texts.map { Array($0.utf8) } + [png, jpeg]

        private func image(_ bytes: [UInt8]) -> Response {
            ImageResponseTransformer().process(.success(.body(Data(bytes), "image/png")))
        }

        @Test("Bytes that begin as a picture stay as they are", arguments: starts)
        func pictures(start: [UInt8]) {
            #expect(image(start + [1, 2, 3]).content() == Data(start + [1, 2, 3]))
        }

        @Test(
            "Others are no picture, nor is the beginning of a beginning",
            arguments: [
                "<svg/>", "RIFF1234WAVE", "\0\0\0\u{18}ftypmp42", "\0", "GIF8", "GIF90a", "B", "RIFF1234", "II", "PNG",
            ])
        func others(text: String) {
            #expect(image(Array(text.utf8)).cause(RequestError.Cause.UnparsableImage.self) != nil)
        }

        @Test("Bytes that begin anywhere in a larger piece are looked at from their own beginning")
        func slices() {
            let data = (Data([0, 0]) + Data(Self.png))[2...]
            #expect(ImageResponseTransformer().process(.success(.body(data, "image/png"))).error == nil)
        }

        @Test("the bodies of errors are left alone", .rule("Siesta 33"))
        func errors() {
            let error = RequestError(userMessage: "no", cause: nil, entity: .body("why", "image/png"))
            #expect(ImageResponseTransformer().process(.failure(error)).error?.entity?.content is Data)
        }

        @Test("Siesta #11: an empty body stays empty")
        func empty() {
            #expect(image([]).content() == Data())
        }
    }
#endif
