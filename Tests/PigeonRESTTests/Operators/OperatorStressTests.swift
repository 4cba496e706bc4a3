import PigeonREST
import Testing

@Suite("Operators on many threads")
struct OperatorStressTests {
    @Test("flatMapLatest sends nothing of an older publisher after a newer one, one value at a time", arguments: 0..<5)
    func flatMapLatest(round: Int) async {
        let (count, perSender) = (40, 400)
        let nest = Nest<Never>(count)
        let subscriber = ScriptedSubscriber<String, Never>()
        nest.publisher.subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for value in 0..<count {
                    nest.outer.send(value)
                    await Task.yield()
                }
                nest.outer.end(.finished)
            }
            for _ in 0..<3 {
                group.addTask {
                    for turn in 0..<perSender {
                        for (index, inner) in nest.inners.enumerated() { inner.send("\(index)") }
                        if turn % 16 == 0 { await Task.yield() }
                    }
                }
            }
        }
        let numbers = subscriber.values.compactMap(Int.init)
        #expect(numbers == numbers.sorted())
        #expect(!subscriber.wasNested)
        #expect(subscriber.ends.isEmpty)
        nest.inners[count - 1].send("last")
        nest.inners[count - 1].end(.finished)
        #expect(subscriber.values.last == "last")
        #expect(subscriber.ends == [.finished])
        #expect(nest.inners.dropLast().allSatisfy { $0.isCancelled || $0.subscriptions.isEmpty })
    }

    @Test("flatMapLatest that is cancelled while values come leaves nothing behind", arguments: 0..<50)
    func cancelRace(round: Int) async {
        let nest = Nest<Never>(8)
        let subscriber = ScriptedSubscriber<String, Never>()
        nest.publisher.subscribe(subscriber)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for value in 0..<8 { nest.outer.send(value) } }
            group.addTask { subscriber.cancel() }
        }
        #expect(nest.outer.isCancelled)
        #expect(nest.inners.allSatisfy { $0.isCancelled || $0.subscriptions.isEmpty })
        let heard = subscriber.values.count
        for inner in nest.inners { inner.send("late") }
        #expect(subscriber.values.count == heard)
    }

    @Test("withLatestFrom sends each value once, one at a time")
    func withLatestFrom() async {
        let (main, other) = (ScriptedPublisher<Int, Never>(), ScriptedPublisher<Int, Never>())
        let subscriber = ScriptedSubscriber<Int, Never>()
        main.withLatestFrom(other) { value, _ in value }.subscribe(subscriber)
        other.send(0)
        await withTaskGroup(of: Void.self) { group in
            for base in 0..<4 {
                group.addTask { for value in 0..<500 { main.send(base * 500 + value) } }
                group.addTask { for value in 0..<500 { other.send(value) } }
            }
        }
        main.end(.finished)
        #expect(subscriber.values.sorted() == Array(0..<2000))
        #expect(!subscriber.wasNested)
        #expect(subscriber.ends == [.finished])
    }

    #if !canImport(Combine)
        @Test("combineLatest sends one at a time, and the newest values last")
        func combineLatest() async {
            let (first, second) = (ScriptedPublisher<Int, Never>(), ScriptedPublisher<Int, Never>())
            let subscriber = ScriptedSubscriber<[Int], Never>()
            first.combineLatest(second) { [$0, $1] }.subscribe(subscriber)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for value in 0...1000 { first.send(value) } }
                group.addTask { for value in 0...1000 { second.send(value) } }
            }
            first.end(.finished)
            second.end(.finished)
            #expect(subscriber.values.last == [1000, 1000])
            for (older, newer) in zip(subscriber.values, subscriber.values.dropFirst()) {
                #expect(older[0] <= newer[0] && older[1] <= newer[1])
            }
            #expect(!subscriber.wasNested)
            #expect(subscriber.ends == [.finished])
        }
    #endif
}
