import PigeonStore
import TestSupport
import Testing

@Suite("A sequence of states", .timeLimit(.minutes(1)))
struct LoadingStateSequenceTests {
    private func words<T>(_ sequence: LoadingStateSequence<T>) async -> [String] {
        var words: [String] = []
        for await state in sequence { words.append(state.word) }
        return words
    }

    @Test("nothing of the base begins before iteration", .rule("StoreFlowable F15"))
    func cold() async {
        let feed = StateFeed(nothing, ends: true)
        let sequence = LoadingStateSequence(feed)
        let mapped = sequence.mapContent { $0.count }
        #expect(feed.facts.value.begun == 0)
        #expect(await words(mapped) == ["…"])
        #expect(feed.facts.value.begun == 1)
    }

    @Test("each iteration begins anew, also beside another", .rule("StoreFlowable F15"))
    func iteratedAgain() async {
        let feed = StateFeed(loading("a"), completed("b"), ends: true)
        let sequence = LoadingStateSequence(feed)
        #expect(await words(sequence) == ["a…", "b"])
        #expect(await words(sequence) == ["a…", "b"])
        let one = sequence.makeAsyncIterator()
        let two = sequence.makeAsyncIterator()
        #expect(await one.next()?.word == "a…")
        #expect(await two.next()?.word == "a…")
        #expect(await one.next()?.word == "b")
        #expect(await one.next() == nil)
        #expect(await two.next()?.word == "b")
        #expect(feed.facts.value.begun == 4)
    }

    @Test("a sequence made of a closure calls it for each iteration, and not before", .rule("StoreFlowable F15"))
    func closure() async {
        let feed = StateFeed(completed("a"), ends: true)
        let sequence = LoadingStateSequence<String>(makeIterator: { feed.makeAsyncIterator() })
        #expect(feed.facts.value.begun == 0)
        #expect(await words(sequence) == ["a"])
        #expect(await words(sequence) == ["a"])
        #expect(feed.facts.value.begun == 2)
    }

    @Test("leaving the loop lets go of the base", .rule("StoreFlowable F17"))
    func left() async {
        let feed = StateFeed(loading("a"), completed("b"))
        for await _ in LoadingStateSequence(feed).mapContent({ $0.count }) { break }
        #expect(feed.facts.value.freed == 1)
    }

    @Test("an AsyncStream under a loop that is left is told so", .rule("StoreFlowable F17"))
    func leftStream() async {
        let ended = Watched(false)
        let stream = AsyncStream<Text> { continuation in
            continuation.onTermination = { _ in ended.update { $0 = true } }
            continuation.yield(nothing)
        }
        func read(_ sequence: consuming LoadingStateSequence<String>) async {
            for await _ in sequence { break }
        }
        func make(_ stream: consuming AsyncStream<Text>) async {
            await read(LoadingStateSequence(stream))
        }
        await make(stream)
        _ = consume stream
        await ended.wait { $0 }
    }

    @Test("what a base throws is its last state, after which there is nothing", .rule("StoreFlowable F18"))
    func throwing() async {
        let feed = StateFeed(loading("a"))
        feed.fail(Broken("f"))
        feed.send(completed("late"))
        let iterator = LoadingStateSequence(feed).makeAsyncIterator()
        #expect(await iterator.next()?.word == "a…")
        #expect(await iterator.next()?.word == "!f")
        #expect(feed.facts.value.freed == 1)
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
        #expect(feed.facts.value.asked == 2)
    }

    @Test("a cancellation that nobody asked for is an error as any other", .rule("StoreFlowable F18"))
    func cancellationError() async {
        let feed = StateFeed()
        feed.fail(CancellationError())
        #expect(await words(LoadingStateSequence(feed)) == ["!CancellationError()"])
    }

    @Test("A cancelled reader sees the end, and no error")
    func cancelled() async {
        let feed = StateFeed(loading("a"))
        let task = Task { await words(LoadingStateSequence(feed).mapContent { $0 }) }
        await feed.untilAsked(2)
        task.cancel()
        #expect(await task.value == ["a…"])
        #expect(feed.facts.value.freed == 1)
    }

    @Test("An ended base is let go, and not asked again")
    func ended() async {
        let feed = StateFeed(completed("a"), ends: true)
        let iterator = LoadingStateSequence(feed).makeAsyncIterator()
        #expect(await iterator.next()?.word == "a")
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
        #expect(feed.facts.value.asked == 2)
        #expect(feed.facts.value.freed == 1)
    }

    @Test("A sequence can be handed to another task, whatever its content")
    func handed() async {
        final class Local {}
        let sequence = LoadingStateSequence<Local>(
            makeIterator: {
                LoadingStateSequence(StateFeed(loading("a"), ends: true)).mapContent { _ in Local() }
                    .makeAsyncIterator()
            })
        let count = await Task.detached {
            var count = 0
            for await state in sequence where state.content != nil { count += 1 }
            return count
        }.value
        #expect(count == 1)
    }

    @Test("On an actor, content is mapped and combined there")
    func isolated() async {
        let feed = StateFeed(loading("a"), ends: true)
        let other = StateFeed(completed("b"), ends: true)
        let places = await QueueActor().run { _ in
            var places = [QueueActor.isCurrent]
            for await state in LoadingStateSequence(feed).mapContent({ _ in QueueActor.isCurrent }) {
                places.append(state.content ?? false)
            }
            for await state in feed.combineState(other, { _, _ in QueueActor.isCurrent }) {
                places.append(state.content ?? false)
            }
            return places
        }
        #expect(places == [true, true, true])
    }
}
