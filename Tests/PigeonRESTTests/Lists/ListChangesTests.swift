import PigeonREST
import PigeonTesting
import Testing

@Suite("Changes of lists")
struct ListChangesTests {
    struct Row: Identifiable, Hashable {
        var id: Int
        var text = ""
    }

    private struct Plain: Equatable {
        var text: Character
    }

    @Test("Nothing changes when nothing does")
    func same() {
        #expect(ListChanges(from: [1, 2, 3], to: [1, 2, 3]).isEmpty)
        #expect(ListChanges(from: [Int](), to: []).isEmpty)
        #expect(!ListChanges.reload.isEmpty)
    }

    @Test("Items come and go")
    func comeAndGo() {
        let changes = ListChanges(from: [1, 2, 3], to: [0, 1, 3, 4])
        #expect(changes == ListChanges(removals: [1], insertions: [0, 3]))
    }

    @Test("As few items as can be move: one that goes from the end to the beginning moves alone")
    func move() {
        #expect(
            ListChanges(from: [1, 2, 3, 4], to: [4, 1, 2, 3]) == ListChanges(moves: [.init(from: 3, to: 0)]))
        #expect(ListChanges(from: Array(0..<9), to: (0..<9).reversed()).moves.count == 8)
    }

    @Test("An item with the same identity and other content is drawn anew where it is")
    func updates() {
        let old = [Row(id: 1), Row(id: 2), Row(id: 3)]
        let new = [Row(id: 3, text: "new"), Row(id: 1), Row(id: 2, text: "new")]
        #expect(
            ListChanges(from: old, to: new)
                == ListChanges(moves: [.init(from: 2, to: 0)], updates: [0, 2]))
    }

    @Test("Items of one identity are told apart by their order")
    func duplicates() {
        #expect(
            ListChanges(from: [1, 1, 2], to: [1, 2, 1, 1])
                == ListChanges(insertions: [3], moves: [.init(from: 2, to: 1)]))
        #expect(ListChanges(from: [1, 1, 1], to: [1]) == ListChanges(removals: [1, 2]))
    }

    @Test("Items that can only be compared come and go")
    func plain() {
        let changes = ListChanges(from: "abc".map(Plain.init), to: "cab".map(Plain.init))
        #expect(changes == ListChanges(removals: [2], insertions: [0]))
    }

    @Test("Doing what they say makes the one list into the other, whatever both are", arguments: 0..<200)
    func applied(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        func list() -> [Row] {
            (0..<random.below(13)).map { _ in Row(id: random.below(10), text: random.below(2) == 0 ? "x" : "") }
        }
        let (old, new) = (list(), list())
        let changes = ListChanges(from: old, to: new)
        #expect(changes.applied(to: old, takingFrom: new) == new)
        let plain = ListChanges(from: old.map(\.text), to: new.map(\.text))
        #expect(plain.applied(to: old.map(\.text), takingFrom: new.map(\.text)) == new.map(\.text))
    }

    @Test("Long lists without anything in common are no trouble")
    func long() {
        let changes = ListChanges(from: Array(0..<50_000), to: Array((50_000..<100_000).reversed()))
        #expect(changes.removals.count == 50_000)
        #expect(changes.insertions.count == 50_000)
    }
}

extension ListChanges {
    /// Returns the list that a table view shows after the changes. It takes rows from the new list only where the
    /// changes say so.
    func applied<Item>(to old: [Item], takingFrom new: [Item]) -> [Item] {
        let gone = Set(removals + moves.map(\.from))
        var staying = old.indices.filter { !gone.contains($0) }.map { old[$0] }[...]
        var placed: [Int: Item] = [:]
        for move in moves { placed[move.to] = old[move.from] }
        for index in insertions { placed[index] = new[index] }
        var result: [Item] = []
        while result.count < staying.count + placed.count + result.count {
            if let item = placed.removeValue(forKey: result.count) {
                result.append(item)
            } else if let item = staying.popFirst() {
                result.append(item)
            } else {
                break
            }
        }
        for index in updates where result.indices.contains(index) { result[index] = new[index] }
        return result
    }
}
