import Foundation
import ImageIO
import PigeonCore
import PigeonREST
import PigeonUI
import TestSupport
import Testing
import UIKit

@Suite("Images that UIKit's view decodes")
@MainActor
struct ImagePreparationTests {
    let answers = Answers()
    let client = QueryClient()

    private func service(_ transformers: [StandardTransformer] = []) -> Service {
        Service(
            baseURL: "https://images.test", standardTransformers: transformers, networking: answers.transport,
            client: client)
    }

    private func view(_ service: Service, side: CGFloat = 40, mode: UIView.ContentMode = .scaleAspectFit)
        -> RemoteImageView
    {
        let view = RemoteImageView(frame: CGRect(x: 0, y: 0, width: side, height: side))
        view.contentMode = mode
        view.imageService = service
        view.url = URL(string: "https://images.test/a")
        return view
    }

    /// The bytes and the size in pixels.
    private func shown(_ view: RemoteImageView) -> String {
        guard let image = view.image else { return "" }
        let size = (Int(image.size.width * image.scale), Int(image.size.height * image.scale))
        return "\(String(decoding: image.source, as: UTF8.self)) \(size.0)x\(size.1)"
    }

    @Test("Bytes are decoded in the size of the view, not on the main thread, and once for views of that size")
    func decoding() async {
        let image = "400x300 \(UUID())"
        let service = service()
        let views = [view(service), view(service), view(service, mode: .scaleAspectFill), view(service, mode: .center)]
        #expect(views[0].url == URL(string: "https://images.test/a"))
        answers.give(image, for: "a")
        let sizes = ["96x72", "96x72", "128x96", "400x300"]
        await until { views.map(shown) == sizes.map { "\(image) \($0)" } }
        #expect(views[0].image?.scale == 2)
        #expect(Decoding.all(of: image).map(\.maxPixelSize).sorted() == [96, 128, 400])
        #expect(Decoding.all(of: image).allSatisfy { !$0.isOnMainThread })
        #expect(answers.asked == ["a"])
        #expect(shown(view(service)) == "\(image) 96x72", "pixels in memory are there within the assignment")
    }

    @Test("A view that becomes larger decodes again, and shows the image before until then")
    func growing() async {
        let image = "400x400 \(UUID())"
        answers.give(image, for: "a")
        let view = view(service(), side: 16)
        await until { shown(view) == "\(image) 32x32" }
        Decoding.hold(image)
        view.frame.size = CGSize(width: 64, height: 64)
        view.layoutIfNeeded()
        #expect(shown(view) == "\(image) 32x32")
        Decoding.release(image)
        await until { shown(view) == "\(image) 128x128" }
        #expect(Decoding.all(of: image).allSatisfy { !$0.isOnMainThread }, "the bytes were in memory the second time")
    }

    @Test("Bytes that are no image count as a failure, until there is another resource")
    func undecodable() async {
        answers.give("broken", for: "a")
        let view = view(service())
        view.placeholderImage = UIImage(systemName: "person")
        view.loadFailureImage = UIImage(systemName: "cross")
        await until { shown(view).hasPrefix("cross") }
        view.url = nil
        #expect(shown(view).hasPrefix("person"))
    }

    @Test("An image that the pipeline made is prepared elsewhere than on the main thread, in the size of the view")
    func preparing() async {
        let view = view(service([.image]))
        answers.give("400x300 pixels", for: "a")
        await until { view.image != nil }
        // In points: 96 pixels, in steps of 32.
        #expect(shown(view) == "400x300 pixels 48x36")
        #expect(view.image?.isPrepared == true)
    }

    @Test("New content is decoded, and the image of the old is not shown for it")
    func newContent() async {
        answers.give("64x64 old", for: "a")
        let service = service()
        let view = view(service)
        await until { shown(view) == "64x64 old 64x64" }
        service.resource("/a").overrideLocalContent(with: Data("64x64 new".utf8))
        await until { shown(view) == "64x64 new 64x64" }
    }

    @Test("The spinner has a name")
    func spinner() {
        let view = view(service())
        #expect(view.loadingView?.accessibilityLabel == "Loading")
    }
}
