import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("Binding publishers to lists", .timeLimit(.minutes(1)))
@MainActor
struct BindTests {
    private let list = Table<Int>()
    private let items = ScriptedPublisher<[Int], Never>()

    @Test("The first items are shown from scratch, later ones by what changes, and none when nothing does")
    func changes() {
        let binding = items.bind(subscriber: list.itemsSubscriber())
        #expect(items.asked == [.unlimited])
        items.send([1, 2])
        items.send([1, 2])
        items.send([2, 3])
        #expect(list.shown == [[1, 2], [2, 3]])
        #expect(list.changes == [.reload, ListChanges(removals: [0], insertions: [1])])
        binding.cancel()
    }

    @Test("No items are shown from scratch as well: what the list had before goes")
    func emptyFirst() {
        let binding = items.bind(subscriber: list.itemsSubscriber())
        items.send([])
        #expect(list.changes == [.reload])
        binding.cancel()
    }

    @Test("cancelling cancels the publisher, and nothing is shown after", .rule("Siesta C3"))
    func cancels() {
        let binding = items.bind(subscriber: list.itemsSubscriber())
        items.send([1])
        binding.cancel()
        #expect(items.isCancelled)
        items.send([2])
        #expect(list.shown == [[1]])
    }

    @Test("A binding that nobody keeps is cancelled")
    func unkept() {
        _ = items.bind(subscriber: list.itemsSubscriber())
        #expect(items.isCancelled)
    }

    @Test("The end leaves on screen what is there")
    func completes() {
        let binding = items.bind(subscriber: list.itemsSubscriber())
        items.send([1])
        items.end(.finished)
        #expect(list.shown == [[1]])
        binding.cancel()
    }

    @Test("The list is not kept; once it is gone, the publisher is cancelled")
    func weakList() {
        weak var held: Table<Int>?
        let binding: AnyCancellable
        do {
            let list = Table<Int>()
            held = list
            binding = items.bind(subscriber: list.itemsSubscriber())
            items.send([1])
        }
        #expect(held == nil)
        #expect(!items.isCancelled)
        items.send([2])
        #expect(items.isCancelled)
        binding.cancel()
    }

    @Test("A list that brings about new items as it shows some is shown those after that")
    func reentrant() {
        let items = items
        list.onApply = { if $0 == [1] { items.send([1, 2]) } }
        let binding = items.bind(subscriber: list.itemsSubscriber())
        items.send([1])
        #expect(list.shown == [[1], [1, 2]])
        #expect(list.changes.last == ListChanges(insertions: [1]))
        #expect(!list.wasNested)
        binding.cancel()
    }

    @Test("Items from other threads are shown on the main actor, in order, the last last")
    func threads() async {
        let (items, last) = (items, Gate())
        list.onApply = { if $0 == [100] { last.open() } }
        let binding = items.bind(subscriber: list.itemsSubscriber())
        await Task.detached { for number in 0...100 { items.send([number]) } }.value
        await last.wait()
        let numbers = list.shown.compactMap(\.first)
        #expect(numbers == numbers.sorted())
        #expect(numbers.last == 100)
        binding.cancel()
    }

    @Test("What was on its way from another thread is not shown once the binding is cancelled")
    func cancelledOnTheWay() async {
        let (items, sent, shownNext) = (items, DispatchSemaphore(value: 0), Gate())
        let binding = items.bind(subscriber: list.itemsSubscriber())
        // The main actor is blocked until the items are in transit.
        Thread.detachNewThread {
            items.send([1])
            sent.signal()
        }
        blocking { sent.wait() }
        binding.cancel()
        Task { @MainActor in shownNext.open() }
        await shownNext.wait()
        #expect(list.shown == [])
    }

    @Test("Identifiable items, and those that can only be compared, are told apart by what they are")
    func kinds() {
        let rows = Table<ListChangesTests.Row>()
        let subject = PassthroughSubject<[ListChangesTests.Row], Never>()
        let binding = subject.bind(subscriber: rows.itemsSubscriber())
        subject.send([.init(id: 1)])
        subject.send([.init(id: 1, text: "new")])
        #expect(rows.changes == [.reload, ListChanges(updates: [0])])
        let plain = Table<PlainItem>()
        let other = Just([PlainItem()]).bind(subscriber: plain.itemsSubscriber())
        #expect(plain.changes == [.reload])
        binding.cancel()
        other.cancel()
    }

    @Test("Any subscriber can be bound, and asks for what it wants")
    func anySubscriber() {
        let subscriber = ScriptedSubscriber<[Int], Never>(.max(2))
        let binding = items.bind(subscriber: subscriber)
        items.send([1])
        items.end(.finished)
        #expect(items.asked == [.max(2)])
        #expect(subscriber.values == [[1]])
        #expect(subscriber.ends == [.finished])
        binding.cancel()
    }
}

private struct PlainItem: Equatable, Sendable {}

/// A list that records what it is asked to show.
@MainActor
private final class Table<Item: Sendable>: ItemList {
    var shown: [[Item]] = []
    var changes: [ListChanges] = []
    var wasNested = false
    var onApply: ([Item]) -> Void = { _ in }
    private var isApplying = false

    func apply(_ changes: ListChanges, items: [Item]) {
        if isApplying { wasNested = true }
        isApplying = true
        shown.append(items)
        self.changes.append(changes)
        onApply(items)
        isApplying = false
    }
}
