import Pigeon
import PigeonREST
import PigeonUI
import TestSupport
import Testing
import UIKit

@Suite("UIKit's views for users of screen readers, large text and reduced motion")
@MainActor
struct UIKitAccessibilityTests {
    let overlay = ResourceStatusOverlay()
    let loadable = ScriptedLoadable()

    private let heard = Heard()
    private let window = UIWindow()

    init() {
        overlay.announce = { [heard] in heard.texts.append($0) }
        window.addSubview(overlay)
    }

    @Test("The overlay's spinner has a name, and its button scales with the text size and is not cut")
    func views() {
        #expect(overlay.loadingIndicator?.accessibilityLabel == "Loading")
        #expect(overlay.retryButton?.titleLabel?.adjustsFontForContentSizeCategory == true)
        #expect(overlay.retryButton?.titleLabel?.numberOfLines == 0)
        #expect(overlay.errorDetail?.adjustsFontForContentSizeCategory == true)
    }

    @Test("The overlay announces that a load that it showed has ended, or has failed, once")
    func overlayAnnouncements() {
        overlay.watch(loadable)
        loadable.change { $0.isLoading = true }
        #expect(heard.texts == [])
        loadable.change { $0.isLoading = false }
        loadable.fail("The server sleeps.")
        loadable.fail("The server sleeps.")
        #expect(heard.texts == ["The server sleeps."])
        overlay.retryButton?.tap()
        loadable.change { part in
            part.latestError = nil
            part.isLoading = true
        }
        loadable.change { part in
            part.isLoading = false
            part.hasContent = true
        }
        #expect(heard.texts == ["The server sleeps.", "Loaded"])
    }

    @Test("Content that stays visible is loaded again without a word, and an overlay can be silent")
    func silence() {
        overlay.displayPriority = .standard
        overlay.watch(loadable)
        loadable.change { $0.hasContent = true }
        loadable.change { $0.isLoading = true }
        loadable.change { $0.isLoading = false }
        #expect(heard.texts == [])
        overlay.announcesLoads = false
        loadable.change { $0.hasContent = false }
        loadable.fail("No.")
        #expect(heard.texts == [])
    }

    @Test("An overlay and a list that are in no window, as below another page, announce nothing", .rule("X11"))
    func noWindow() async {
        overlay.removeFromSuperview()
        overlay.watch(loadable)
        loadable.fail("No.")
        let (table, pages) = (UITableView(), QueryCollectionControllerTests.Pages())
        let controller = makeController(table, pages)
        await until { controller.status.isLoading }
        pages.fail(1)
        await until { controller.status.error != nil }
        #expect(heard.texts == [])
    }

    @Test("Screen readers do not read what the overlay covers, but what is beside it")
    func modal() {
        let controller = UIViewController()
        overlay.embed(in: controller)
        overlay.watch(loadable)
        loadable.change { $0.isLoading = true }
        #expect(overlay.accessibilityViewIsModal)
        overlay.frame = CGRect(x: 10, y: 10, width: 40, height: 40)
        loadable.change { $0.isLoading = false }
        loadable.fail("No.")
        #expect(!overlay.accessibilityViewIsModal)
    }

    // MARK: Lists

    private func makeController(
        _ table: UITableView, _ pages: QueryCollectionControllerTests.Pages
    ) -> QueryCollectionController<Post> {
        let query = Query<Void, [Post]>(
            key: "posts", behavior: .startImmediately(()), cache: InMemoryQueryCache(), client: QueryClient()
        ) {
            try await pages.fetch(1)
        }
        let rows = TableViewItemsController<Post> { table, place, post in
            table.register(PostCell.self, forCellReuseIdentifier: "post")
            let cell = table.dequeueReusableCell(withIdentifier: "post", for: place)
            (cell as? PostCell)?.post = post
            return cell
        }
        let controller = QueryCollectionController(tableView: table, items: rows, query: query)
        controller.announce = { [heard] in heard.texts.append($0) }
        return controller
    }

    @Test("A list announces its first load and what the user pulls for, and no other refetch")
    func list() async {
        let (table, window) = UITableView.inWindow()
        let pages = QueryCollectionControllerTests.Pages()
        let controller = makeController(table, pages)
        await until { controller.status.isLoading }
        pages.fail(1)
        await until { heard.texts.count == 1 }
        #expect(heard.texts == [controller.status.error?.userMessage])
        controller.refetch()
        pages.give(Post.some(1...3), for: 1)
        await until { heard.texts.last == "Loaded" }
        controller.refetch()
        await until { pages.asked.count == 3 }
        pages.give(Post.some(1...4), for: 1)
        await until { table.texts.count == 4 }
        #expect(heard.texts.count == 2)
        table.refreshControl?.pull()
        await until { pages.asked.count == 4 }
        pages.give([], for: 1)
        await until { heard.texts.last == "Nothing Here" }
        #expect(heard.texts.count == 3)
        withExtendedLifetime(window) {}
    }

    @Test("Rows do not move for a user who prefers less motion")
    func motion() {
        let (table, window) = UITableView.inWindow()
        let rows = TableViewItemsController<Post> { table, place, post in
            table.register(PostCell.self, forCellReuseIdentifier: "post")
            let cell = table.dequeueReusableCell(withIdentifier: "post", for: place)
            (cell as? PostCell)?.post = post
            return cell
        }
        let posts = CurrentValueSubject<[Post], Never>(Post.some(1...2))
        let binding = posts.bind(subscriber: table.rowsSubscriber(rows))
        posts.send(Post.some(1...3))
        UIAccessibility.isReduceMotionEnabled = true
        posts.send(Post.some(1...4))
        UIAccessibility.isReduceMotionEnabled = false
        #expect(table.steps.map(\.isAnimated) == [false, true, false])
        withExtendedLifetime((window, binding)) {}
    }
}
