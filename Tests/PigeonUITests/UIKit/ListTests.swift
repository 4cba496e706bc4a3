#if canImport(UIKit)
    import PigeonCore
    import PigeonHTTP
    import PigeonREST
    import PigeonUI
    import TestSupport
    import Testing
    import UIKit
    import ViewSupport

    @Suite("lists and controllers that show what publishers send")
    @MainActor
    struct ListTests {
        private let posts = PassthroughSubject<[Post], Never>()

        @Test("a table shows items, and then what has come, gone, moved and changed")
        func table() async {
            let (table, window) = UITableView.inWindow()
            let binding = posts.bind(
                subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { $0.post = $2 })
            posts.send(Post.some(1...4))
            await until { table.texts == ["1", "2", "3", "4"] }
            posts.send([Post(4, "4"), Post(1, "one"), Post(3, "3"), Post(9, "9")])
            await until { Set(table.texts) == ["4", "one", "3", "9"] && table.numberOfRows(inSection: 0) == 4 }
            binding.cancel()
            withExtendedLifetime(window) {}
        }

        @Test("a collection shows items, and then what has come, gone, moved and changed")
        func collection() async {
            let frame = CGRect(x: 0, y: 0, width: 320, height: 480)
            let view = UICollectionView(frame: frame, collectionViewLayout: UICollectionViewFlowLayout())
            let window = UIWindow(frame: frame)
            window.addSubview(view)
            let binding = posts.bind(
                subscriber: view.itemsSubscriber(cellType: PostItemCell.self) { $0.show($2.text) })
            posts.send(Post.some(1...3))
            await until { Set(view.texts) == ["1", "2", "3"] }
            posts.send([Post(3, "3"), Post(1, "one")])
            await until { Set(view.texts) == ["3", "one"] && view.numberOfItems(inSection: 0) == 2 }
            binding.cancel()
            withExtendedLifetime(window) {}
        }

        /// A program's controller: a table below an overlay, which loads when its view does.
        private final class PostsController: UIViewController {
            let table = UITableView(frame: CGRect(x: 0, y: 0, width: 320, height: 480), style: .plain)
            let overlay = ResourceStatusOverlay()
            private let posts: TypedResource<[Post]>
            private var subscriptions: Set<AnyCancellable> = []

            init(_ posts: TypedResource<[Post]>) {
                self.posts = posts
                super.init(nibName: nil, bundle: nil)
            }

            required init?(coder: NSCoder) { nil }

            override func viewDidLoad() {
                super.viewDidLoad()
                view.addSubview(table)
                overlay.embed(in: self)
                overlay.watch(posts.resource)
                posts.contentPublisher()
                    .bind(
                        subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) {
                            $0.post = $2
                        }
                    )
                    .store(in: &subscriptions)
            }
        }

        @Test("a controller shows a load, a failure, and after a retry the list, and lets all go with it")
        func controller() async throws {
            let mock = MockTransport()
            let service = Service(baseURL: "https://api.test", networking: mock, client: QueryClient())
            service.configure("/posts", decoding: [Post].self)
            mock.answer(.get, "/posts", with: .status(.notFound))
            let resource = service.resource("/posts")
            weak var freed: PostsController?
            do {
                let controller = PostsController(resource.typed([Post].self))
                freed = controller
                let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
                window.rootViewController = controller
                controller.loadViewIfNeeded()
                await until { controller.overlay.visibleText.contains("Try Again") }
                mock.answer(.get, "/posts") { _, _ in try .json(Post.some(1...2)) }
                controller.overlay.retryButton?.tap()
                await until { controller.overlay.isHidden && controller.table.texts == ["1", "2"] }
                #expect(mock.requests.count == 2)
                window.rootViewController = nil
            }
            await until { freed == nil && !resource.isObserved }
        }
    }
#endif
