import PigeonREST
import PigeonUI
import Testing
import UIKit

@Suite("The views of a status overlay")
@MainActor
struct ResourceStatusOverlayViewTests {
    let overlay = ResourceStatusOverlay()
    let loadable = ScriptedLoadable()

    @Test("It covers a controller's view in front of all else, and stays as large as it")
    func embedding() {
        let controller = UIViewController()
        overlay.embed(in: controller)
        let late = UIView()
        controller.view.addSubview(late)
        #expect(overlay.frame == CGRect(x: 0, y: 0, width: 320, height: 480))
        controller.view.frame.size = CGSize(width: 480, height: 320)
        #expect(overlay.frame.size == CGSize(width: 480, height: 320))
        #expect(controller.view.subviews.last === late)
        overlay.positionToCoverParent()
        #expect(controller.view.subviews.last === overlay)
    }

    @Test("In a view that scrolls it covers what is seen")
    func scrolling() {
        let scroll = UIScrollView(frame: CGRect(x: 0, y: 0, width: 100, height: 200))
        overlay.embed(in: scroll)
        scroll.contentOffset = CGPoint(x: 0, y: 70)
        overlay.positionToCoverParent()
        #expect(overlay.frame == CGRect(x: 0, y: 70, width: 100, height: 200))
    }

    @Test("It covers a view that is elsewhere in the tree")
    func covering() {
        let root = UIView(frame: CGRect(x: 0, y: 0, width: 300, height: 300))
        let card = UIView(frame: CGRect(x: 10, y: 20, width: 200, height: 100))
        let photo = UIView(frame: CGRect(x: 5, y: 5, width: 50, height: 60))
        root.addSubview(card)
        card.addSubview(photo)
        root.addSubview(overlay)
        overlay.positionToCover(photo)
        #expect(overlay.frame == CGRect(x: 15, y: 25, width: 50, height: 60))
        overlay.positionToCover(CGRect(x: 1, y: 1, width: 8, height: 8), inView: card)
        #expect(overlay.frame == CGRect(x: 11, y: 21, width: 8, height: 8))
    }

    @Test("A view that replaces another goes where that was, and does what it did")
    func replacing() {
        let old = overlay.retryButton
        let button = UIButton(type: .system)
        button.setTitle("Once more", for: .normal)
        overlay.retryButton = button
        overlay.errorHeadline = nil
        overlay.watch(loadable)
        loadable.fail("No.")
        #expect(overlay.visibleText == ["This could not be loaded", "No.", "Once more"])
        old?.tap()
        #expect(loadable.loads.isEmpty)
        button.tap()
        #expect(loadable.loads.count == 1)
    }

    @Test("A view that is somewhere already stays there")
    func elsewhere() {
        let elsewhere = UIView()
        let label = UILabel()
        elsewhere.addSubview(label)
        overlay.errorDetail = label
        overlay.watch(loadable)
        loadable.fail("No.")
        #expect(label.text == "No.")
        #expect(label.superview === elsewhere)
        #expect(overlay.visibleText == ["This could not be loaded", "Try Again"])
    }

    @Test("A subclass makes views of its own")
    func subclass() {
        let overlay = PlainOverlay()
        overlay.watch(loadable)
        loadable.change { $0.isLoading = true }
        #expect(overlay.visibleText == ["Wait."])
        loadable.fail("No.")
        #expect(overlay.visibleText == ["No."])
    }

    @Test("It is freed with its owner at once, and lets go of what it watched")
    func lifetime() {
        weak var freed: ResourceStatusOverlay?
        do {
            let overlay = ResourceStatusOverlay()
            overlay.watch(loadable)
            overlay.embed(in: UIViewController())
            loadable.fail("…")
            overlay.retryFailedRequests()
            freed = overlay
            #expect(loadable.listeners == 1)
        }
        #expect(freed == nil)
        #expect(loadable.listeners == 0)
        loadable.loads[0].end()
    }
}

@MainActor
private final class PlainOverlay: ResourceStatusOverlay {
    override func makeViews() {
        let wait = UILabel()
        wait.text = "Wait."
        containerView = UIView()
        loadingIndicator = wait
        let error = UILabel()
        errorView = error
        errorDetail = error
    }
}
