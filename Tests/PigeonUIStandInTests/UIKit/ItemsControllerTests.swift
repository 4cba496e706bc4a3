import PigeonCore
import PigeonREST
import PigeonUI
import TestSupport
import Testing
import UIKit

@Suite("Controllers of items, with cells and sections of their own")
@MainActor
struct ItemsControllerTests {
    typealias Sections = [ListSection<String, Post>]

    private func makeTable() -> (UITableView, TableViewItemsController<Post>, UIWindow) {
        let (table, window) = UITableView.inWindow()
        table.register(PostCell.self, forCellReuseIdentifier: "even")
        table.register(UITableViewCell.self, forCellReuseIdentifier: "odd")
        let rows = TableViewItemsController<Post> { table, place, post in
            let cell = table.dequeueReusableCell(withIdentifier: post.id % 2 == 0 ? "even" : "odd", for: place)
            cell.textLabel?.text = post.text
            return cell
        }
        return (table, rows, window)
    }

    @Test("A table has cells of several kinds, and says which item is where")
    func factory() {
        let (table, rows, window) = makeTable()
        let posts = PassthroughSubject<[Post], Never>()
        let binding = posts.bind(subscriber: table.rowsSubscriber(rows))
        posts.send(Post.some(1...2))
        #expect(table.visibleCells.map { $0 is PostCell } == [false, true])
        #expect(rows.item(at: IndexPath(row: 1, section: 0)) == Post(2, "2"))
        #expect(rows.item(at: IndexPath(row: 2, section: 0)) == nil)
        rows.isAnimated = false
        posts.send(Post.some(1...4))
        #expect(table.steps.map(\.isAnimated) == [false, false])
        _ = (binding, window)
    }

    @Test("Sections have headers and footers, come, go and change one by one")
    func sections() {
        let (table, rows, window) = makeTable()
        let sections = PassthroughSubject<Sections, Never>()
        let binding = sections.bind(subscriber: table.sectionsSubscriber(rows))
        sections.send([
            ListSection(header: "Mine", items: Post.some(1...2)),
            ListSection(header: "Starred", items: Post.some(2...3), footer: "2 in all"),
        ])
        #expect(table.texts == ["1", "2", "2", "3"])
        #expect(table.dataSource?.tableView(table, titleForHeaderInSection: 1) == "Starred")
        #expect(table.dataSource?.tableView(table, titleForFooterInSection: 1) == "2 in all")
        #expect(table.dataSource?.tableView(table, titleForFooterInSection: 0) == nil)

        sections.send([
            ListSection(header: "New", items: [Post(9, "9")]),
            ListSection(header: "Mine", items: [Post(1, "one"), Post(2, "2")]),
            ListSection(header: "Starred", items: Post.some(2...4), footer: "3 in all"),
        ])
        #expect(table.texts == ["9", "one", "2", "2", "3", "4"])
        #expect(rows.item(at: IndexPath(row: 0, section: 1)) == Post(1, "one"))
        #expect(table.dataSource?.tableView(table, titleForFooterInSection: 2) == "3 in all")
        #expect(table.steps.last?.reconfigured == 1)
        sections.send([ListSection(header: "Mine", items: [Post(2, "2")])])
        #expect(table.texts == ["2"])
        _ = (binding, window)
    }

    @Test("A collection shows items, configures again what has new content, and keeps its cells")
    func collection() {
        let view = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        let posts = PassthroughSubject<[Post], Never>()
        let binding = posts.bind(
            subscriber: view.itemsSubscriber(cellType: PostItemCell.self) { $0.show($2.text) })
        posts.send(Post.some(1...3))
        #expect(view.texts == ["1", "2", "3"])
        let cells = view.visibleCells.compactMap { $0 as? PostItemCell }
        posts.send([Post(3, "3"), Post(1, "one")])
        #expect(view.texts == ["3", "one"])
        #expect(view.visibleCells == [cells[2], cells[0]])
        #expect(cells.map(\.configured) == [2, 1, 1])
        #expect(view.steps.last == DiffableStep(removed: 1, reconfigured: 1, isAnimated: false))
        binding.cancel()
    }

    @Test("A collection uses cells that are registered, and shows sections")
    func collectionSections() {
        let view = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
        view.register(PostItemCell.self, forCellWithReuseIdentifier: "post")
        let posts = PassthroughSubject<[Post], Never>()
        let binding = posts.bind(
            subscriber: view.itemsSubscriber(cellIdentifier: "post", cellType: PostItemCell.self) { $0.show($2.text) })
        posts.send(Post.some(1...2))
        #expect(view.texts == ["1", "2"])
        binding.cancel()

        let items = CollectionViewItemsController<Post> { view, place, post in
            let cell = view.dequeueReusableCell(withReuseIdentifier: "post", for: place)
            (cell as? PostItemCell)?.show("\(place.section):\(post.text)")
            return cell
        }
        let sections = PassthroughSubject<Sections, Never>()
        let other = sections.bind(subscriber: view.sectionsSubscriber(items))
        sections.send([ListSection(id: "a", items: Post.some(1...1)), ListSection(id: "b", items: Post.some(1...2))])
        #expect(view.texts == ["0:1", "1:1", "1:2"])
        #expect(items.item(at: IndexPath(item: 1, section: 1)) == Post(2, "2"))
        other.cancel()
    }

    final class TitleView: UICollectionReusableView {
        var text: String?
    }

    @Test("a collection shows headers and footers, and makes one again when its text has changed", .rule("X9"))
    func supplementaryViews() throws {
        let layout = UICollectionViewFlowLayout()
        layout.headerReferenceSize = CGSize(width: 0, height: 20)
        layout.footerReferenceSize = CGSize(width: 0, height: 20)
        let view = UICollectionView(frame: .zero, collectionViewLayout: layout)
        view.register(PostItemCell.self, forCellWithReuseIdentifier: "post")
        let items = CollectionViewItemsController<Post> { view, place, post in
            let cell = view.dequeueReusableCell(withReuseIdentifier: "post", for: place)
            (cell as? PostItemCell)?.show(post.text)
            return cell
        }
        let header = UICollectionView.SupplementaryRegistration<TitleView>(
            elementKind: UICollectionView.elementKindSectionHeader
        ) { [weak items] title, _, place in
            title.text = items?.header(ofSection: place.section)
        }
        let footer = UICollectionView.SupplementaryRegistration<TitleView>(
            elementKind: UICollectionView.elementKindSectionFooter
        ) { [weak items] title, _, place in
            title.text = items?.footer(ofSection: place.section)
        }
        items.supplementaryViewFactory = { view, kind, place in
            let title = kind == UICollectionView.elementKindSectionHeader ? header : footer
            return view.dequeueConfiguredReusableSupplementary(using: title, for: place)
        }
        func title(_ kind: String, _ section: Int) -> TitleView? {
            view.layoutIfNeeded()
            return view.supplementaryView(forElementKind: kind, at: IndexPath(item: 0, section: section)) as? TitleView
        }
        let (above, below) = (UICollectionView.elementKindSectionHeader, UICollectionView.elementKindSectionFooter)

        let sections = PassthroughSubject<Sections, Never>()
        let binding = sections.bind(subscriber: view.sectionsSubscriber(items))
        sections.send([
            ListSection(header: "Mine", items: Post.some(1...2)),
            ListSection(header: "Starred", items: Post.some(2...3), footer: "2 in all"),
        ])
        #expect([title(above, 0)?.text, title(above, 1)?.text] == ["Mine", "Starred"])
        #expect([title(below, 0)?.text, title(below, 1)?.text] == [nil, "2 in all"])
        #expect(items.header(ofSection: 2) == nil && items.footer(ofSection: 2) == nil)
        let mine = title(above, 0)

        sections.send([
            ListSection(header: "New", items: [Post(9, "9")]),
            ListSection(header: "Mine", items: Post.some(1...1)),
            ListSection(header: "Starred", items: Post.some(2...4), footer: "3 in all"),
        ])
        #expect((0...2).map { title(above, $0)?.text } == ["New", "Mine", "Starred"])
        #expect(title(above, 1) === mine)
        #expect(title(below, 2)?.text == "3 in all")
        binding.cancel()
    }

    @Test("Whatever wrong changes somebody finds, all items are shown")
    func wrongChanges() {
        let (table, window) = UITableView.inWindow()
        let rows = TableViewItemsController<Post> { _, _ in
            ListChanges(
                removals: [7], insertions: [0, 9], moves: [.init(from: 0, to: 1), .init(from: 0, to: 0)], updates: [5])
        } cellFactory: { _, _, post in
            let cell = PostCell(style: .default, reuseIdentifier: nil)
            cell.post = post
            return cell
        }
        let posts = PassthroughSubject<[Post], Never>()
        let binding = posts.bind(subscriber: table.rowsSubscriber(rows))
        posts.send(Post.some(1...2))
        posts.send(Post.some(1...3))
        #expect(table.numberOfRows(inSection: 0) == 3)
        _ = (binding, window)
    }

    @Test("A table keeps its controller, and the controller no table")
    func lifetime() {
        weak var freedRows: TableViewItemsController<Post>?
        weak var freedTable: UITableView?
        weak var freedItems: CollectionViewItemsController<Post>?
        do {
            let (table, rows, window) = makeTable()
            (freedRows, freedTable) = (rows, table)
            _ = Just(Post.some(1...2)).bind(subscriber: table.rowsSubscriber(rows))
            let view = UICollectionView(frame: .zero, collectionViewLayout: UICollectionViewFlowLayout())
            let items = CollectionViewItemsController<Post> { _, _, _ in UICollectionViewCell(frame: .zero) }
            _ = Just(Post.some(1...2)).bind(subscriber: view.itemsSubscriber(items))
            freedItems = items
            #expect(view.numberOfItems(inSection: 0) == 2)
            _ = window
        }
        #expect(freedRows == nil)
        #expect(freedTable == nil)
        #expect(freedItems == nil)
    }
}
