import PigeonCore
import PigeonTesting
import Testing

@Suite("The heap of deadlines")
struct HeapTests {
    @Test(arguments: 0..<40)
    func `A random program takes the elements out in order`(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var heap = _Heap((0..<random.below(20)).map { _ in random.below(50) })
        var model = heap.unordered.sorted()
        for _ in 0..<500 {
            if random.below(5) < 3 {
                let element = random.below(50)
                heap.insert(element)
                model.insert(element, at: model.firstIndex { $0 > element } ?? model.endIndex)
            } else {
                #expect(heap.popMin() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(heap.min == model.first)
            #expect(heap.count == model.count)
        }
        #expect(heap.unordered.sorted() == model)
    }
}
