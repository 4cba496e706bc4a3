import PigeonCore
import PigeonREST
import PigeonUI
import Testing
import UIKit

@Suite("Rows of a table view")
@MainActor
struct TableRowsTests {
    let table: UITableView
    let window: UIWindow
    let posts = PassthroughSubject<[Post], Never>()

    init() {
        (table, window) = UITableView.inWindow()
    }

    private func bind() -> AnyCancellable {
        posts.bind(
            subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { cell, _, post in
                cell.post = post
            })
    }

    @Test("The first items show without an animation, in cells of a type that nobody registered")
    func first() {
        let binding = bind()
        #expect(table.dataSource == nil)
        posts.send(Post.some(1...3))
        #expect(table.texts == ["1", "2", "3"])
        #expect(table.steps == [DiffableStep(inserted: 3, isAnimated: false)])
        binding.cancel()
    }

    @Test("An item with new content keeps its cell, which is configured again; others are left alone")
    func update() throws {
        let binding = bind()
        posts.send(Post.some(1...3))
        let cells = table.visibleCells.compactMap { $0 as? PostCell }
        posts.send([Post(1, "1"), Post(2, "two"), Post(3, "3")])
        #expect(table.texts == ["1", "two", "3"])
        #expect(table.visibleCells == cells)
        #expect(cells.map(\.configured) == [1, 2, 1])
        #expect(table.steps.last == DiffableStep(reconfigured: 1, isAnimated: true))
        binding.cancel()
    }

    @Test("What moves takes its cell with it, what goes and what comes is animated, and what is the same is not shown")
    func moves() {
        let binding = bind()
        posts.send(Post.some(1...4))
        let cells = table.visibleCells
        posts.send([Post(4, "4"), Post(1, "1"), Post(3, "drei"), Post(9, "9")])
        #expect(table.texts == ["4", "1", "drei", "9"])
        #expect(Array(table.visibleCells.prefix(3)) == [cells[3], cells[0], cells[2]])
        #expect(table.steps.last == DiffableStep(removed: 1, inserted: 1, reconfigured: 1, isAnimated: true))
        posts.send([Post(4, "4"), Post(1, "1"), Post(3, "drei"), Post(9, "9")])
        #expect(table.steps.count == 2)
        binding.cancel()
    }

    @Test("Nothing is animated in a table that is not on screen")
    func offScreen() {
        let table = UITableView()
        let binding = posts.bind(
            subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { $0.post = $2 })
        posts.send(Post.some(1...2))
        posts.send(Post.some(1...3))
        #expect(table.steps.map(\.isAnimated) == [false, false])
        #expect(table.texts == ["1", "2", "3"])
        binding.cancel()
    }

    @Test("Items that are alike each have a row")
    func duplicates() {
        let binding = bind()
        posts.send([Post(1, "a"), Post(1, "a"), Post(1, "b")])
        posts.send([Post(1, "a"), Post(2, "c"), Post(1, "a"), Post(1, "d")])
        #expect(table.texts == ["a", "c", "a", "d"])
        binding.cancel()
    }

    @Test("Items may be of any type that can be compared")
    func types() {
        struct Note: Equatable { var text: String }
        let notes = PassthroughSubject<[Note], Never>()
        let names = PassthroughSubject<[String], Never>()
        let (other, otherWindow) = UITableView.inWindow()
        let bindings = [
            notes.bind(
                subscriber: table.rowsSubscriber(cellIdentifier: "a", cellType: UITableViewCell.self) {
                    $0.textLabel?.text = $2.text
                }),
            names.bind(
                subscriber: other.rowsSubscriber(cellIdentifier: "a", cellType: UITableViewCell.self) {
                    $0.textLabel?.text = $2
                }),
        ]
        notes.send([Note(text: "a"), Note(text: "b")])
        notes.send([Note(text: "b"), Note(text: "c")])
        names.send(["x", "x"])
        names.send(["x", "y", "x"])
        #expect(table.texts == ["b", "c"])
        #expect(other.texts == ["x", "y", "x"])
        _ = (bindings, otherWindow)
    }

    @Test("An item is known by its id if it has one, and else by its content")
    func identity() {
        struct Card: Hashable, Identifiable {
            var id: Int
            var text: String
        }
        struct Note: Equatable { var text: String }
        func lastStep<Item: Equatable & Sendable>(_ lists: [Item]...) -> DiffableStep? {
            let (table, window) = UITableView.inWindow()
            let items = PassthroughSubject<[Item], Never>()
            let binding = items.bind(
                subscriber: table.rowsSubscriber(cellIdentifier: "a", cellType: UITableViewCell.self) { _, _, _ in })
            for list in lists { items.send(list) }
            return withExtendedLifetime((binding, window)) { table.steps.last }
        }
        #expect(
            lastStep(
                [Card(id: 1, text: "a"), Card(id: 2, text: "b")], [Card(id: 2, text: "b"), Card(id: 1, text: "c")])
                == DiffableStep(reconfigured: 1, isAnimated: true))
        #expect(lastStep(["a", "b"], ["b", "a"]) == DiffableStep(isAnimated: true))
        #expect(
            lastStep([Note(text: "a"), Note(text: "b")], [Note(text: "b"), Note(text: "a")])
                == DiffableStep(removed: 1, inserted: 1, isAnimated: true))
    }

    @Test("A cell that was registered, or is a prototype, is used")
    func registered() {
        table.register(PostCell.self, forCellReuseIdentifier: "post")
        let binding = posts.bind(
            subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: UITableViewCell.self) { cell, _, post in
                (cell as? PostCell)?.post = post
            })
        posts.send(Post.some(1...2))
        #expect(table.texts == ["1", "2"])
        binding.cancel()
    }

    @Test("Cells that scroll off the screen are used again")
    func reuse() {
        table.rowsOnScreen = 3
        let binding = bind()
        posts.send(Post.some(1...9))
        let cells = Set(table.visibleCells)
        table.scrollDown(by: 3)
        #expect(table.texts == ["4", "5", "6"])
        #expect(Set(table.visibleCells) == cells)
        binding.cancel()
    }

    @Test("When the binding ends what is there stays, and can be scrolled")
    func ending() {
        table.rowsOnScreen = 2
        let binding = bind()
        posts.send(Post.some(1...4))
        binding.cancel()
        posts.send([])
        table.scrollDown(by: 2)
        #expect(table.texts == ["3", "4"])
    }

    @Test("Of two bindings, the one that shows first last has the table")
    func twoBindings() {
        let first = bind()
        posts.send(Post.some(1...2))
        let others = PassthroughSubject<[Post], Never>()
        let second = others.bind(
            subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { $0.post = $2 })
        others.send(Post.some(7...8))
        posts.send(Post.some(1...5))
        #expect(table.texts == ["7", "8"])
        _ = (first, second)
    }

    @Test("Items that come while some are being shown are shown after them")
    func reentrancy() {
        let binding = posts.bind(
            subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { [posts] cell, _, post in
                cell.post = post
                if post.id == 2 { posts.send(Post.some(5...6)) }
            })
        posts.send(Post.some(1...3))
        #expect(table.texts == ["5", "6"])
        #expect(table.steps.count == 2)
        binding.cancel()
    }

    @Test("A table is freed while a binding goes on, which ends then")
    func lifetime() {
        weak var freed: UITableView?
        weak var source: AnyObject?
        let cancelled = CurrentValueSubject<Bool, Never>(false)
        let binding: AnyCancellable
        do {
            let table = UITableView()
            binding = posts.handleEvents(receiveCancel: { cancelled.send(true) }).bind(
                subscriber: table.rowsSubscriber(cellIdentifier: "post", cellType: PostCell.self) { $0.post = $2 })
            posts.send(Post.some(1...3))
            (freed, source) = (table, table.dataSource)
            #expect(source != nil)
        }
        #expect(freed == nil)
        posts.send(Post.some(1...4))
        #expect(cancelled.value)
        binding.cancel()
        #expect(source == nil)
    }
}
