import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Selections")
struct SelectionTests {
    let desk = Desk()

    @Test("a transform runs once for each value, whoever reads how often", .rule("T60"))
    func memoised() {
        let runs = Recorder<String>()
        let observer = desk.client.observe(desk.user)
        let length = observer.select {
            runs.append($0)
            return $0.count
        }
        #expect(length.snapshot.value == nil && runs.all.isEmpty)
        desk.fetcher.succeed(with: "Ann")
        for _ in 0..<3 { #expect(length.value == 3) }
        desk.receive("Ann", for: desk.user)
        #expect(length.value == 3)
        #expect(runs.all == ["Ann"], "an equal value is the same value")
        desk.receive("Beatrice", for: desk.user)
        #expect(length.value == 8)
        #expect(runs.all == ["Ann", "Beatrice"])
    }

    @Test("A change is told only when the output or the phase changes")
    func toldOfChanges() {
        let seen = Recorder<Int?>()
        let length = desk.client.observe(desk.user).select(\.count)
        let subscription = length.onChange { seen.append($0.value) }
        desk.fetcher.succeed(with: "Ann")
        for value in ["Bea", "Cid", "Dora", "Emil"] { desk.receive(value, for: desk.user) }
        #expect(seen.all == [3, 4])
        subscription.cancel()
        desk.receive("x", for: desk.user)
        #expect(seen.all == [3, 4])
    }

    @Test("The sequence begins with what is there, and goes on with changes only")
    func sequence() {
        let seen = Recorder<Int?>()
        let length = desk.client.observe(desk.user).select(\.count)
        let task = desk.lab.start { for await snapshot in length { seen.append(snapshot.value) } }
        desk.fetcher.succeed(with: "Ann")
        for value in ["Bea", "Dora"] { desk.receive(value, for: desk.user) }
        #expect(seen.all == [nil, 3, 4])
        task.cancel()
        #expect(task.result != nil)
    }

    @Test("A selection shows what its source shows beside the value")
    func sourceState() {
        let observer = desk.client.observe(desk.user)
        let length = observer.select(\.count)
        #expect(length.snapshot.isLoading)
        desk.fetcher.fail(with: Trouble.first)
        #expect(length.snapshot.error as? Trouble == .first)
        guard case .failure = length.snapshot.phase else {
            Issue.record("\(length.snapshot.phase)")
            return
        }
        desk.receive("Ann", for: desk.user)
        #expect(length.snapshot.isStale == observer.snapshot.isStale)
        #expect(length.snapshot.version == observer.snapshot.version)
    }

    @Test("a transform that throws is a failure beside the last good output; the entry is untouched", .rule("T61"))
    func throwing() {
        let observer = desk.client.observe(desk.user)
        let number = observer.select { text in
            guard let number = Int(text) else { throw Trouble.second }
            return number
        }
        let seen = Recorder<String>()
        let subscription = number.onChange { seen.append("\($0.value ?? -1) \($0.error.map { "\($0)" } ?? "fine")") }
        desk.fetcher.succeed(with: "1")
        desk.receive("one", for: desk.user)
        let snapshot = number.snapshot
        #expect(snapshot.value == 1 && snapshot.error as? Trouble == .second)
        guard case .failure = snapshot.phase else {
            Issue.record("\(snapshot.phase)")
            return
        }
        #expect(observer.snapshot.error == nil && observer.value == "one")
        desk.receive("1", for: desk.user)
        #expect(number.snapshot.error == nil)
        #expect(seen.all == ["1 fine", "1 second", "1 fine"])
        withExtendedLifetime(subscription) {}
    }

    @Test("a transform that throws first has no output to show", .rule("T61"))
    func throwingFirst() {
        let number = desk.client.observe(desk.user).select { _ -> Int in throw Trouble.second }
        desk.fetcher.succeed(with: "one")
        #expect(number.value == nil)
        #expect(number.snapshot.error as? Trouble == .second)
    }

    @Test("neither error nor last output carries over to another key, or past a reset", .rule("T62"))
    func carriesNothingOver() {
        let observer = desk.client.observe(desk.query("one"))
        let number = observer.select { text in
            guard let number = Int(text) else { throw Trouble.second }
            return number
        }
        desk.fetcher.succeed(with: "1")
        #expect(number.value == 1)
        observer.observe(desk.query("two"))
        #expect(number.snapshot.value == nil && number.snapshot.error == nil)
        desk.fetcher.succeed(with: "two")
        #expect(number.snapshot.value == nil && number.snapshot.error as? Trouble == .second)
        desk.client.reset(.all)
        #expect(number.snapshot.error == nil && number.snapshot.value == nil)
    }

    @Test("a placeholder goes through the transform, and the selection says that it is one", .rule("T64"))
    func placeholder() {
        let length = desk.client.observe(desk.user.placeholder("someone")).select(\.count)
        #expect(length.value == 7 && length.snapshot.isPlaceholder)
        desk.fetcher.succeed(with: "Ann")
        #expect(length.value == 3 && !length.snapshot.isPlaceholder)
    }

    @Test("Equal outputs keep the old instance")
    func keepsInstance() {
        final class Instance: Equatable, Sendable {
            static func == (one: Instance, other: Instance) -> Bool { true }
        }
        let made = desk.client.observe(desk.user).select { _ in Instance() }
        desk.fetcher.succeed(with: "Ann")
        let first = made.value
        desk.receive("Bea", for: desk.user)
        #expect(made.value === first && first != nil)
    }

    @Test("A transform runs outside the lock: it may use the client")
    func outsideLock() {
        let observer = desk.client.observe(desk.user)
        let count = observer.select { [client = desk.client] _ in client.count }
        desk.fetcher.succeed(with: "Ann")
        #expect(count.value == 1)
    }

    @Test("A selection is freed when its owner lets go, and its observer with it")
    func freed() {
        weak var selection: QuerySelection<String, Int>?
        weak var observer: QueryObserver<String>?
        do {
            let made = desk.client.observe(desk.user)
            let selected = made.select(\.count)
            let subscription = selected.onChange { _ in }
            (selection, observer) = (selected, made)
            withExtendedLifetime(subscription) {}
        }
        #expect(selection == nil && observer == nil)
    }
}
