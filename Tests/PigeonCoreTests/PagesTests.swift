import Foundation
@testable import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Pages as a collection")
struct PagesTests {
    private typealias List = Pages<String, Int>

    private func loaded(_ ids: [Int]) -> [List.Loaded] {
        ids.map { List.Loaded(id: $0, page: "p\($0)") }
    }

    private func ids(_ range: Range<Int>) -> [Int] { Array(range) }

    @Test("Editing a page changes that one, on either side of the start, and no copy made before")
    func updatePage() {
        var list = List()
        for id in 0..<70 { list.append(.init(id: id, page: "p\(id)")) }
        for id in 1..<40 { list.prepend(.init(id: -id, page: "p\(-id)")) }
        let copy = list
        for position in [0, 38, 39, 108] { list.updatePage(at: position) { $0 += "!" } }
        list.updatePage(at: 109) { $0 += "!" }
        list.updatePage(at: -1) { $0 += "!" }
        #expect(list.filter { $0.hasSuffix("!") } == ["p-39!", "p-1!", "p0!", "p69!"])
        #expect(list.ids == copy.ids)
        #expect(copy.allSatisfy { !$0.hasSuffix("!") })
        #expect(list != copy)
    }

    @Test("A list without pages is empty and ends nowhere")
    func empty() {
        let list = List()
        #expect(list.isEmpty)
        #expect(list.count == 0)
        #expect(list.firstID == nil && list.lastID == nil)
        #expect(!list.hasNext && !list.hasPrevious)
        #expect(list.ids.isEmpty)
    }

    @Test("Pages come in order, across chunks in both directions", arguments: [1, 31, 32, 33, 64, 65, 200])
    func chunks(count: Int) {
        var list = List()
        for id in 0..<count { list.append(List.Loaded(id: id, page: "p\(id)")) }
        for id in 1...count { list.prepend(List.Loaded(id: -id, page: "p\(-id)")) }
        #expect(list.ids == ids(-count..<count))
        #expect(Array(list) == ids(-count..<count).map { "p\($0)" })
        #expect(list.reversed().first == "p\(count - 1)")
        #expect(list[count] == "p0")
    }

    @Test("Adding, prepending and trimming match a plain array", arguments: 1...10)
    func againstArray(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var list = List([List.Loaded(id: 0, page: "p0")], nextID: 1, previousID: -1)
        var model = [0]
        for _ in 0..<300 {
            let limit = random.below(80)
            if random.once(in: 2) {
                let id = model[model.count - 1] + 1
                list.append(List.Loaded(id: id, page: "p\(id)"))
                list.nextID = id + 1
                model.append(id)
                if random.once(in: 4), limit > 0 {
                    list.trim(to: limit, addedIn: .next, previous: { _, id in id - 1 }, next: { _, id in id + 1 })
                    model = model.suffix(limit)
                }
            } else {
                let id = model[0] - 1
                list.prepend(List.Loaded(id: id, page: "p\(id)"))
                list.previousID = id - 1
                model.insert(id, at: 0)
                if random.once(in: 4), limit > 0 {
                    list.trim(to: limit, addedIn: .previous, previous: { _, id in id - 1 }, next: { _, id in id + 1 })
                    model = Array(model.prefix(limit))
                }
            }
            #expect(list.ids == model)
            #expect(Array(list) == model.map { "p\($0)" })
            #expect(list.count == model.count)
            #expect(list.firstID == model.first && list.lastID == model.last)
            #expect(list.nextID == model[model.count - 1] + 1)
            #expect(list.previousID == model[0] - 1)
        }
    }

    @Test(
        "a page that is added to a full list copies one chunk at each end", .rule("F13"),
        arguments: [PageDirection.next, .previous])
    func fullList(direction: PageDirection) {
        var list = List(loaded(ids(0..<2_000)), nextID: 2_000)
        for id in 1...50 {
            let old = list
            if direction == .next {
                list.append(List.Loaded(id: 1_999 + id, page: "p"))
            } else {
                list.prepend(List.Loaded(id: -id, page: "p"))
            }
            list.trim(to: 2_000, addedIn: direction, previous: { _, id in id - 1 }, next: { _, id in id + 1 })
            #expect(list.count == 2_000)
            #expect(sharedChunks(list.after, old.after) >= 60)
        }
    }

    private func sharedChunks(_ one: PageChunks, _ other: PageChunks) -> Int {
        one.chunks.count { mine in other.chunks.contains { PageChunks.isSame(mine, $0) } }
    }

    @Test("an edited list is compared with the one before by the pages of one chunk", .rule("F13"))
    func editedList() {
        let list = List(loaded(ids(0..<2_000)), nextID: 2_000)
        var edited = list
        edited.updatePage(at: 1_000) { $0 = "edited" }
        var visits = 0
        let isSame = list.after.isEqual(to: edited.after) { mine, theirs in
            visits += 1
            return mine === theirs
        }
        #expect(!isSame && list != edited)
        #expect(visits <= PageChunks.size)
    }

    @Test("A copy is a value: adding to one leaves the other")
    func value() {
        let original = List(loaded(ids(0..<40)), nextID: 40)
        var copy = original
        copy.append(List.Loaded(id: 40, page: "p40"))
        copy.prepend(List.Loaded(id: -1, page: "p-1"))
        #expect(original.ids == ids(0..<40))
        #expect(copy.ids == ids(-1..<41))
    }

    @Test("Lists are equal when their pages are and they go on alike, however they were built")
    func equality() {
        var grown = List(loaded(ids(20..<60)), nextID: 60, previousID: 19)
        for id in ids(0..<20).reversed() { grown.prepend(List.Loaded(id: id, page: "p\(id)")) }
        grown.previousID = nil
        let whole = List(loaded(ids(0..<60)), nextID: 60)
        #expect(grown == whole)
        #expect(whole != List(loaded(ids(0..<60)), nextID: nil))
        #expect(whole != List(loaded(ids(0..<60)), nextID: 60, previousID: 0))
        #expect(whole != List(loaded(ids(0..<59)), nextID: 60))
        #expect(whole != List(loaded(ids(0..<59) + [99]), nextID: 60))
    }

    @Test("A list survives coding, with what its pages were asked by and where it goes on", arguments: [0, 1, 32, 70])
    func coding(count: Int) throws {
        var list = List(loaded(ids(0..<count)), nextID: count, previousID: nil)
        if count > 1 { list.prepend(List.Loaded(id: -1, page: "p-1")) }
        let read = try JSONDecoder().decode(List.self, from: JSONEncoder().encode(list))
        #expect(read == list)
        #expect(read.ids == list.ids)
        #expect(read.nextID == count)
        #expect(read.previousID == nil)
    }

    @Test("a list is coded with the validators of its pages, and one that was coded without them is read", .rule("A50"))
    func validators() throws {
        let validators = FetchValidators(eTag: "v1", lastModified: "now")
        let tagged = List.Loaded(id: 1, page: "p1", stamp: 1, validators: validators)
        let list = List([tagged, List.Loaded(id: 2, page: "p2")], nextID: 3)
        let read = try JSONDecoder().decode(List.self, from: JSONEncoder().encode(list))
        #expect(read == list)
        #expect(read.loaded(at: 0).validators == validators)
        #expect(read.loaded(at: 1).validators.isEmpty)
        let old = #"{"pages":[{"id":1,"page":"p1"},{"id":2,"page":"p2"}],"nextID":3}"#
        let readOld = try JSONDecoder().decode(List.self, from: Data(old.utf8))
        #expect(readOld == list)
        #expect(readOld.loaded(at: 0).validators.isEmpty)
    }

    @Test("All items are one flat map away")
    func flattened() {
        let pages = Pages([.init(id: 1, page: [1, 2]), .init(id: 2, page: []), .init(id: 3, page: [3])], nextID: 4)
        #expect(pages.flatMap { $0 } == [1, 2, 3])
        #expect(Array(pages.items) == [1, 2, 3])
        #expect(pages.items.first { $0 > 1 } == 2)
    }
}
