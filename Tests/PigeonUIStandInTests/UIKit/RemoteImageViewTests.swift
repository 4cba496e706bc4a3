import Foundation
import PigeonCore
import TestSupport
import enum PigeonHTTP.StatusCode
import PigeonREST
import PigeonUI
import Testing
import UIKit

@Suite("A view of a remote image")
@MainActor
struct RemoteImageViewTests {
    let answers = Answers()
    let service: Service
    let view = RemoteImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
    let placeholder = UIImage(systemName: "person")

    init() {
        service = Service(
            baseURL: "https://images.test", standardTransformers: [.image], networking: answers.transport,
            client: QueryClient())
        view.imageService = service
        view.placeholderImage = placeholder
    }

    private func shown(_ view: RemoteImageView) -> String? {
        view.image.map { String(decoding: $0.source, as: UTF8.self) }
    }

    @Test("An image in memory is there within the assignment")
    func memory() throws {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: try #require(UIImage(data: Data("pixels".utf8))))
        view.imageResource = resource
        #expect(shown(view) == "pixels")
        #expect(answers.asked.isEmpty)
    }

    @Test("While it is loaded there are a placeholder and a spinner, and then the image")
    func loading() async {
        #expect(view.loadingView == nil)
        view.imageURL = "https://images.test/a"
        #expect(view.imageURL == "https://images.test/a")
        #expect(shown(view) == "person")
        #expect(view.visibleText == ["…"])
        #expect(view.loadingView?.frame == view.bounds)
        answers.give("pixels", for: "a")
        await until { shown(view) == "pixels" }
        #expect(view.visibleText.isEmpty)
    }

    @Test("Where it could not be loaded there is what was given for that")
    func failure() async {
        let sorry = UILabel()
        sorry.text = "Sorry"
        view.alternateView = sorry
        #expect(view.visibleText == ["Sorry"])
        view.loadFailureImage = UIImage(systemName: "cross")
        view.imageURL = "https://images.test/a"
        #expect(view.visibleText == ["…"])
        answers.give("", status: StatusCode.notFound, for: "a")
        await until { shown(view) == "cross" }
        #expect(view.visibleText == ["Sorry"])
        view.loadFailureImage = nil
        #expect(shown(view) == "person")
        view.imageURL = nil
        #expect(shown(view) == "person")
    }

    @Test("In a cell that is used again, the image before never shows")
    func reuse() async {
        view.imageURL = "https://images.test/a"
        view.imageURL = "https://images.test/b"
        #expect(!service.resource("/a").isObserved)
        answers.give("a", for: "a")
        service.resource("/a").overrideLocalContent(with: UIImage(systemName: "a") ?? UIImage())
        #expect(shown(view) == "person")
        answers.give("b", for: "b")
        await until { shown(view) == "b" }
        view.imageURL = nil
        #expect(shown(view) == "person")
    }

    @Test("Many views of one image share its load")
    func sharing() async {
        let views = (0..<40).map { _ in RemoteImageView() }
        for view in views {
            view.imageService = service
            view.imageURL = "https://images.test/a"
        }
        answers.give("pixels", for: "a")
        await until { views.allSatisfy { shown($0) == "pixels" } }
        #expect(answers.asked == ["a"])
    }

    @Test("Images are changed before they are shown, and shown anew with another change")
    func transform() {
        view.imageTransform = { _ in UIImage(systemName: "round") }
        #expect(shown(view) == "round")
        view.imageTransform = { $0 }
        #expect(shown(view) == "person")
    }

    @Test("A spinner of one's own is used, and none where there shall be none")
    func spinner() {
        let wait = UILabel()
        wait.text = "Wait."
        view.loadingView = wait
        view.imageURL = "https://images.test/a"
        #expect(view.visibleText == ["Wait."])
        view.loadingView = nil
        #expect(view.visibleText.isEmpty)
    }

    @Test("Images come from the service that all share, unless there is another")
    func service() async {
        let common = RemoteImageView.defaultImageService
        defer { RemoteImageView.defaultImageService = common }
        RemoteImageView.defaultImageService = service
        let view = RemoteImageView(image: nil)
        view.imageURL = "https://images.test/a"
        #expect(view.imageResource === service.resource("/a"))
        answers.give("pixels", for: "a")
        await until { shown(view) == "pixels" }
    }

    @Test("What is told while an image is set may set another")
    func reentrancy() async {
        view.imageTransform = { [weak view] image in
            if view?.imageResource === service.resource("/a") { view?.imageURL = "https://images.test/b" }
            return image
        }
        view.imageURL = "https://images.test/a"
        #expect(view.imageURL == "https://images.test/b")
        answers.give("b", for: "b")
        await until { shown(view) == "b" }
    }

    @Test("It is freed with its owner, and lets go of its resource")
    func lifetime() {
        weak var freed: RemoteImageView?
        do {
            let view = RemoteImageView()
            view.imageResource = service.resource("/a")
            #expect(service.resource("/a").isObserved)
            freed = view
        }
        #expect(freed == nil)
        #expect(!service.resource("/a").isObserved)
    }
}
