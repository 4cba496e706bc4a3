import PigeonStore
import TestSupport
import Testing

@Suite("The newest states of several sequences", .timeLimit(.minutes(1)))
struct CombineSequenceTests {
    let a = StateFeed()
    let b = StateFeed()

    private var combined: LoadingStateSequence<String> { a.combineState(b) { $0 + $1 } }

    @Test("nothing of the bases begins before the first state is asked for", .rule("StoreFlowable F15"))
    func cold() async {
        let sequence = combined
        let iterator = sequence.makeAsyncIterator()
        #expect(a.facts.value.begun == 0 && b.facts.value.begun == 0)
        a.send(completed("1"))
        b.send(completed("x"))
        #expect(await iterator.next()?.word == "1x")
        let other = sequence.makeAsyncIterator()
        #expect(await other.next()?.word == "1x")
        #expect(a.facts.value.begun == 2 && b.facts.value.begun == 2)
    }

    @Test("however many states each tells, the newest are told together", .rule("StoreFlowable F28"))
    func newest() async {
        let iterator = combined.makeAsyncIterator()
        a.send(completed("1"))
        b.send(nothing)
        #expect(await iterator.next()?.word == "…")
        b.send(completed("x"))
        #expect(await iterator.next()?.word == "1x")
        b.send(failed("e"))
        #expect(await iterator.next()?.word == "!e")
        a.send(loading("2"))
        #expect(await iterator.next()?.word == "!e")
        b.send(completed("y"))
        #expect(await iterator.next()?.word == "2y…")
    }

    @Test("A slow reader finds the newest of each, once, and nothing older after it")
    func slow() async {
        let iterator = combined.makeAsyncIterator()
        a.send(completed("1"))
        b.send(completed("x"))
        #expect(await iterator.next()?.word == "1x")
        for word in ["2", "3", "4"] { await a.sendAndSettle(completed(word)) }
        for word in ["y", "z"] { await b.sendAndSettle(completed(word)) }
        #expect(await iterator.next()?.word == "4z")
        a.send(completed("5"))
        #expect(await iterator.next()?.word == "5z")
    }

    @Test("Each of five sequences has its place", arguments: 0..<5)
    func places(_ place: Int) async {
        let all = (0..<5).map { StateFeed(completed("\($0)")) }
        let sequences = [
            all[0].combineState(all[1]) { $0 + $1 },
            all[0].combineState(all[1], all[2]) { $0 + $1 + $2 },
            all[0].combineState(all[1], all[2], all[3]) { $0 + $1 + $2 + $3 },
            all[0].combineState(all[1], all[2], all[3], all[4]) { $0 + $1 + $2 + $3 + $4 },
        ].map { $0.makeAsyncIterator() }
        var words: [String] = []
        for index in sequences.indices { words.append(await sequences[index].next()?.word ?? "") }
        #expect(words == ["01", "012", "0123", "01234"])
        all[place].send(loading("n"))
        for index in sequences.indices where index + 1 >= place {
            let expected = words[index].replacing("\(place)", with: "n") + "…"
            #expect(await sequences[index].next()?.word == expected)
        }
    }

    @Test("It ends when all have ended, with the last states of those that ended before")
    func ends() async {
        let iterator = combined.makeAsyncIterator()
        a.send(completed("1"))
        a.end()
        b.send(completed("x"))
        #expect(await iterator.next()?.word == "1x")
        b.send(completed("y"))
        #expect(await iterator.next()?.word == "1y")
        await a.untilFreed()
        await b.sendAndSettle(completed("z"))
        b.end()
        await b.untilFreed()
        #expect(await iterator.next()?.word == "1z")
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
    }

    @Test("It ends, and lets go of the others, when one ends without a state")
    func endsSilently() async {
        let iterator = combined.makeAsyncIterator()
        a.send(completed("1"))
        b.end()
        #expect(await iterator.next() == nil)
        await a.untilFreed()
    }

    @Test("a base that throws tells its error, and the others go on", .rule("StoreFlowable F18"))
    func throwing() async {
        let iterator = combined.makeAsyncIterator()
        a.send(completed("1"))
        b.send(completed("x"))
        #expect(await iterator.next()?.word == "1x")
        b.fail(Broken("f"))
        #expect(await iterator.next()?.word == "!f")
        a.send(completed("2"))
        #expect(await iterator.next()?.word == "!f")
        a.end()
        #expect(await iterator.next() == nil)
    }

    @Test("Contents of several types, with mapContent, from other sequences than a store's")
    func types() async {
        let (stream, source) = AsyncStream.makeStream(of: LoadingState<Int>.self)
        source.yield(.completed(content: 2, next: more, prev: noMore))
        source.finish()
        a.send(completed("a"))
        a.end()
        let lengths = a.mapContent { $0.count }
        let both: LoadingStateSequence<(Int, Int)> = lengths.combineState(stream) { ($0, $1) }
        var words: [String] = []
        for await state in both.mapContent({ $0 + $1 }) { words.append(state.word) }
        #expect(words == ["3 more end"])
    }
}
