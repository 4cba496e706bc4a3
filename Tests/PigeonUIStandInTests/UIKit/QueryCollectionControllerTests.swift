import Pigeon
import PigeonUI
import TestSupport
import Testing
import UIKit

@Suite("A query's list in a table or a collection")
@MainActor
struct QueryCollectionControllerTests {
    typealias Posts = PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>

    let table: UITableView
    let window: UIWindow
    let pages = Pages()

    init() {
        (table, window) = UITableView.inWindow()
        table.rowsOnScreen = 3
    }

    /// Pages that a test gives: each is waited for.
    final class Pages: Sendable {
        private let state = Locked<(asked: [Int], given: [Int: Result<[Post], any Error>])>(([], [:]))

        var asked: [Int] { state.withLock { $0.asked } }

        func give(_ posts: [Post], for page: Int) { state.withLock { $0.given[page] = .success(posts) } }
        func fail(_ page: Int) { state.withLock { $0.given[page] = .failure(Unwell()) } }

        func fetch(_ page: Int) async throws -> [Post] {
            state.withLock { $0.asked.append(page) }
            while true {
                if let result = state.withLock({ $0.given.removeValue(forKey: page) }) { return try result.get() }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    struct Unwell: Error {}

    private func makeQuery(client: QueryClient = QueryClient()) -> Posts {
        Posts(
            key: "posts", firstPage: NumericPaginatedQueryKey(current: 1), cache: InMemoryQueryCache(), client: client
        ) { [pages] _, page in
            try await pages.fetch(page.current)
        }
    }

    private func makeController(
        _ query: Posts, _ table: UITableView? = nil
    ) -> QueryCollectionController<Post> {
        let controller = QueryCollectionController(tableView: table ?? self.table, items: makeRows(), query: query)
        controller.prefetchDistance = 1
        return controller
    }

    private func makeRows() -> TableViewItemsController<Post> {
        TableViewItemsController<Post> { table, place, post in
            table.register(PostCell.self, forCellReuseIdentifier: "post")
            let cell = table.dequeueReusableCell(withIdentifier: "post", for: place)
            (cell as? PostCell)?.post = post
            return cell
        }
    }

    @Test("It says that nothing was requested, then that the list is loaded, and shows it")
    func loading() async {
        let query = makeQuery()
        let controller = makeController(query)
        var seen: [String] = []
        controller.onStatusChange = { seen.append("\($0)".prefix { $0 != "(" }.description) }
        #expect(seen == ["idle"])
        query.refetch(())
        await until { controller.status.isLoading }
        #expect(table.dataSource == nil)
        pages.give(Post.some(1...9), for: 1)
        await until { table.texts == ["1", "2", "3"] }
        #expect(table.steps == [DiffableStep(inserted: 9, isAnimated: false)])
        #expect(seen.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == ["idle", "loading", "content"])
    }

    @Test("A list with nothing in it, and one that could not be loaded, are told from each other")
    func emptyAndFailed() async {
        let query = makeQuery()
        let controller = makeController(query)
        pages.fail(1)
        controller.refetch()
        await until { controller.status.error is Unwell }
        if case .failed = controller.status {} else { Issue.record("\(controller.status)") }
        pages.give([], for: 1)
        controller.refetch()
        await until { controller.status.isEmpty }
        #expect(controller.status.error == nil)
    }

    @Test("The next page is loaded when the end comes near, and not before; it is added below")
    func nextPage() async {
        let query = makeQuery()
        let controller = makeController(query)
        pages.give(Post.some(1...6), for: 1)
        controller.refetch()
        await until { table.texts == ["1", "2", "3"] }
        for _ in 0..<20 { await Task.yield() }
        #expect(pages.asked == [1])
        table.scrollDown(by: 3)
        await until { pages.asked == [1, 2] }
        table.scrollDown(by: 0)
        pages.give(Post.some(7...9), for: 2)
        await until { table.numberOfRows(inSection: 0) == 9 }
        #expect(table.steps.last == DiffableStep(inserted: 3, isAnimated: true))
        #expect(pages.asked == [1, 2])
        #expect(table.texts == ["4", "5", "6"])
    }

    @Test("Where a page does not fill the screen the next is loaded, until the end")
    func shortPages() async {
        let query = makeQuery()
        let controller = makeController(query)
        pages.give([Post(1, "1")], for: 1)
        pages.give([Post(2, "2")], for: 2)
        pages.give([], for: 3)
        controller.refetch()
        await until { table.texts == ["1", "2"] && !query.hasNextPage }
        #expect(pages.asked == [1, 2, 3])
    }

    @Test("A page that failed is told beside the list, and not asked for again by itself")
    func failedPage() async {
        let query = makeQuery()
        let controller = makeController(query)
        pages.give([Post(1, "1")], for: 1)
        pages.fail(2)
        controller.refetch()
        await until { controller.status.error is Unwell }
        #expect(table.texts == ["1"])
        for _ in 0..<20 { await Task.yield() }
        #expect(pages.asked == [1, 2])
        pages.give([Post(2, "2")], for: 2)
        pages.give([], for: 3)
        controller.fetchNextPage()
        await until { table.texts == ["1", "2"] }
        #expect(controller.status.error == nil)
    }

    @Test("Pulled down, it fetches again, and the spinner goes when that has ended")
    func refreshing() async throws {
        let query = makeQuery()
        let controller = makeController(query)
        let spinner = try #require(table.refreshControl)
        pages.give(Post.some(1...6), for: 1)
        controller.refetch()
        await until { table.texts == ["1", "2", "3"] }
        spinner.pull()
        await until { pages.asked == [1, 1] }
        #expect(spinner.isRefreshing)
        #expect(table.texts == ["1", "2", "3"])
        pages.give([Post(2, "two")] + Post.some(3...8), for: 1)
        await until { table.texts == ["two", "3", "4"] }
        #expect(!spinner.isRefreshing)
        spinner.pull()
        pages.fail(1)
        await until { controller.status.error is Unwell }
        #expect(!spinner.isRefreshing)
        #expect(table.texts == ["two", "3", "4"])
    }

    @Test("Pulled down, it is loading before the fetch begins, which is in a later turn on all systems")
    func refreshingBeforeFetching() async throws {
        let query = makeQuery()
        let controller = makeController(query)
        let spinner = try #require(table.refreshControl)
        spinner.pull()
        #expect(pages.asked.isEmpty)
        #expect(controller.status.isLoading && spinner.isRefreshing)
        pages.give(Post.some(1...6), for: 1)
        await until { table.texts == ["1", "2", "3"] }
        #expect(!controller.status.isLoading && !spinner.isRefreshing)
    }

    @Test("Pulled down without a request to repeat, it fetches nothing, and the spinner goes")
    func refreshingNothing() async throws {
        let query = Query<Int, [Post]>(
            key: "posts", cache: InMemoryQueryCache(), client: QueryClient()
        ) { [pages] page in
            try await pages.fetch(page)
        }
        let controller = QueryCollectionController(tableView: table, items: makeRows(), query: query)
        let spinner = try #require(table.refreshControl)
        spinner.pull()
        await until { !spinner.isRefreshing }
        #expect(pages.asked.isEmpty && !controller.status.isLoading)
    }

    @Test("Pulled down without a network, it is loading until the network is back and the page arrives")
    func refreshingOffline() async throws {
        let client = QueryClient()
        client.environment.connectivity.set(false)
        let query = makeQuery(client: client)
        let controller = makeController(query)
        let spinner = try #require(table.refreshControl)
        spinner.pull()
        await until { query.snapshot.isPaused }
        for _ in 0..<20 { await Task.yield() }
        #expect(controller.status.isLoading && spinner.isRefreshing)
        client.environment.connectivity.set(true)
        await until { pages.asked == [1] }
        for _ in 0..<20 { await Task.yield() }
        #expect(controller.status.isLoading && spinner.isRefreshing)
        pages.give(Post.some(1...6), for: 1)
        await until { table.texts == ["1", "2", "3"] }
        #expect(!controller.status.isLoading && !spinner.isRefreshing)
    }

    @Test("The rows that stand in for those of a new key go when that key fails", .rule("B9"))
    func failedPlaceholder() async {
        let query = Query<Int, [Post]>(
            key: "posts", keyAdapter: { key, page in key.appending(page) }, cache: InMemoryQueryCache(),
            client: QueryClient(), placeholder: .previousValue
        ) { [pages] page in
            try await pages.fetch(page)
        }
        let controller = QueryCollectionController(tableView: table, items: makeRows(), query: query)
        pages.give(Post.some(1...3), for: 1)
        query.refetch(request: 1)
        await until { table.texts == ["1", "2", "3"] }
        query.refetch(request: 2)
        await until { pages.asked == [1, 2] }
        for _ in 0..<20 { await Task.yield() }
        #expect(query.snapshot.isPlaceholder)
        #expect(table.texts == ["1", "2", "3"])
        pages.fail(2)
        await until { controller.status.error is Unwell }
        #expect(table.texts.isEmpty)
        if case .failed = controller.status {} else { Issue.record("\(controller.status)") }
    }

    @Test("A query in a collection, with a refresh control that was there")
    func collection() async {
        let view = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        let spinner = UIRefreshControl()
        view.refreshControl = spinner
        let query = Query<Void, [Post]>(key: "posts", cache: InMemoryQueryCache(), client: QueryClient()) { [pages] in
            try await pages.fetch(1)
        }
        let cell = UICollectionView.CellRegistration<PostItemCell, Post> { cell, _, post in cell.show(post.text) }
        let items = CollectionViewItemsController<Post> {
            $0.dequeueConfiguredReusableCell(using: cell, for: $1, item: $2)
        }
        let controller = QueryCollectionController(collectionView: view, items: items, query: query)
        #expect(view.refreshControl === spinner)
        spinner.pull()
        pages.give(Post.some(1...2), for: 1)
        await until { view.texts == ["1", "2"] }
        #expect(!spinner.isRefreshing)
        #expect(controller.status.error == nil)
    }

    @Test("A list of pages in a collection goes on at its end, until a page fails")
    func collectionOfPages() async {
        let view = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        let cell = UICollectionView.CellRegistration<PostItemCell, Post> { cell, _, post in cell.show(post.text) }
        let items = CollectionViewItemsController<Post> {
            $0.dequeueConfiguredReusableCell(using: cell, for: $1, item: $2)
        }
        let controller = QueryCollectionController(collectionView: view, items: items, query: makeQuery())
        controller.refetch()
        pages.give(Post.some(1...2), for: 1)
        pages.give(Post.some(3...4), for: 2)
        pages.fail(3)
        await until { view.texts == ["1", "2", "3", "4"] && controller.status.error != nil }
        #expect(pages.asked == [1, 2, 3])
    }

    @Test("What is told of a status may fetch")
    func reentrancy() async {
        let query = makeQuery()
        let controller = makeController(query)
        pages.fail(1)
        var retries = 0
        controller.onStatusChange = { [weak controller, pages] status in
            guard case .failed = status, retries == 0 else { return }
            retries += 1
            pages.give(Post.some(1...6), for: 1)
            controller?.refetch()
        }
        controller.refetch()
        await until { table.texts == ["1", "2", "3"] }
        #expect(pages.asked == [1, 1])
    }

    @Test("It keeps no view, and is kept by none; its query goes with it")
    func lifetime() async throws {
        weak var freed: QueryCollectionController<Post>?
        weak var freedQuery: Posts?
        weak var freedTable: UITableView?
        var spinner: UIRefreshControl?
        do {
            let (table, window) = UITableView.inWindow()
            let query = makeQuery()
            let controller = makeController(query, table)
            pages.give(Post.some(1...6), for: 1)
            controller.refetch()
            await until { table.texts.count == 6 }
            (freed, freedQuery, freedTable) = (controller, query, table)
            spinner = table.refreshControl
            _ = window
        }
        await until { freed == nil && freedQuery == nil && freedTable == nil }
        spinner?.pull()
        #expect(spinner?.isRefreshing == false)
    }
}
