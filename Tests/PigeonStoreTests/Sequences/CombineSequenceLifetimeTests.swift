import PigeonStore
import TestSupport
import Testing

@Suite("How reading several sequences ends", .timeLimit(.minutes(1)))
struct CombineSequenceLifetimeTests {
    let feeds = (0..<5).map { StateFeed(completed("\($0)")) }

    private var combined: LoadingStateSequence<String> {
        feeds[0].combineState(feeds[1], feeds[2], feeds[3], feeds[4]) { $0 + $1 + $2 + $3 + $4 }
    }

    private func read() async -> [String] {
        var words: [String] = []
        for await state in combined { words.append(state.word) }
        return words
    }

    private func untilAllFreed(_ times: Int = 1) async {
        for feed in feeds { await feed.untilFreed(times) }
    }

    @Test("leaving the loop lets go of all bases", .rule("StoreFlowable F17"))
    func left() async {
        for await _ in combined { break }
        await untilAllFreed()
    }

    @Test("cancelling a waiting reader ends it, and all bases", .rule("StoreFlowable F20"))
    func cancelledWaiting() async {
        let task = Task { await read() }
        for feed in feeds { await feed.untilAsked(2) }
        task.cancel()
        await untilAllFreed()
        let words = await task.value
        #expect(words.allSatisfy { $0 == "01234" } && words.count <= 1)
    }

    @Test("cancelling a reader between two states ends all bases", .rule("StoreFlowable F20"))
    func cancelledBetween() async {
        let (isThere, goesOn) = (Watched(false), Watched(false))
        let sequence = combined
        let task = Task {
            let iterator = sequence.makeAsyncIterator()
            let first = await iterator.next()
            isThere.update { $0 = true }
            await goesOn.wait { $0 }
            return (first?.word, await iterator.next()?.word)
        }
        await isThere.wait { $0 }
        task.cancel()
        let (first, second) = await task.value
        #expect(first == "01234" && second == nil)
        await untilAllFreed()
    }

    @Test("a task that is cancelled before it reads begins nothing", .rule("StoreFlowable F20"))
    func cancelledBefore() async {
        let gate = Watched(false)
        let task = Task {
            await gate.wait { $0 }
            return await read()
        }
        task.cancel()
        #expect(await task.value == [])
        #expect(feeds.allSatisfy { $0.facts.value.asked == 0 })
    }

    @Test("an iterator that is let go unread, and one let go half read, trap nowhere", .rule("StoreFlowable F20"))
    func letGo() async {
        _ = combined.makeAsyncIterator()
        var iterator: LoadingStateSequence<String>.Iterator? = combined.makeAsyncIterator()
        #expect(await iterator?.next()?.word == "01234")
        iterator = nil
        await untilAllFreed()
    }

    /// Lets several tasks read the same iterator, which is a misuse.
    private struct Shared: @unchecked Sendable {  // a lock guards the state that copies of an iterator share
        let iterator: LoadingStateSequence<String>.Iterator

        func next() async -> String? {
            await iterator.next()?.word
        }
    }

    @Test("of two who read one iterator the second is sent away", .rule("StoreFlowable F20"))
    func rivals() async {
        let only = StateFeed(completed("a"))
        let silent = StateFeed()
        let sequence = only.combineState(silent) { $0 + $1 }
        let shared = Shared(iterator: sequence.makeAsyncIterator())
        let one = Task { await shared.next() }
        await only.untilAsked(2)
        await silent.untilAsked(1)
        let two = Task { await shared.next() }
        let ends = Watched<[String?]>([])
        for task in [one, two] {
            Task {
                let word = await task.value
                ends.update { $0.append(word) }
            }
        }
        await ends.wait { $0.count == 1 }
        silent.send(completed("b"))
        await ends.wait { $0.count == 2 }
        #expect(ends.value == [nil, "ab"])
    }

    @Test("whatever ends first, reader or bases, nothing traps and nothing is left behind", .rule("StoreFlowable F20"))
    func races() async {
        #if PIGEON_TSAN
            let rounds = 50  // which take as long as 500 without the sanitizer
        #else
            let rounds = 200
        #endif
        for round in 0..<rounds {
            let all = (0..<3).map { StateFeed(completed("\($0)")) }
            let sequence = all[0].combineState(all[1], all[2]) { $0 + $1 + $2 }
            let reader = Task {
                for await state in sequence where round % 4 == 0 && state.content != nil { break }
            }
            await withTaskGroup(of: Void.self) { group in
                for (index, feed) in all.enumerated() {
                    group.addTask {
                        feed.send(loading("n"))
                        if (round + index) % 3 == 0 { feed.end() } else { feed.fail() }
                    }
                }
                if round.isMultiple(of: 2) { group.addTask { reader.cancel() } }
            }
            await reader.value
            for feed in all { await feed.facts.wait { $0.freed == $0.begun } }
        }
    }

    @Test("Many iterations at once have each their own")
    func many() async {
        for feed in feeds { feed.end() }
        let all = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<20 { group.addTask { await read() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.allSatisfy { $0.last == "01234" })
        await untilAllFreed(20)
    }
}
