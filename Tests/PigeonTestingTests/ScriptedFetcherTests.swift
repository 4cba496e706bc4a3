import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("A scripted fetcher")
struct ScriptedFetcherTests {
    private struct Refused: Error {}
    private struct Draft: Sendable { var title: String }

    private let lab = QueryLab()

    @Test("a call without a context has its arguments as text, and as the path of its key", .rule("N7"))
    func arguments() {
        let fetcher = lab.fetcher(returning: Int.self)
        _ = lab.start { try await fetcher.call() }
        _ = lab.start { try await fetcher.call("rename", 42, "Ann") }
        _ = lab.start { try await fetcher.call("find", String?.none, Int?.some(7), true) }
        _ = lab.start { try await fetcher.call(Draft(title: "x")) }
        #expect(
            fetcher.calls.map(\.arguments) == [
                [], ["rename", "42", "Ann"], ["find", "nil", "7", "true"], [#"Draft(title: "x")"#],
            ])
        #expect(fetcher.calls[0].key == "" && fetcher.calls[1].key == "rename/42/Ann")
        #expect(fetcher.calls.allSatisfy { $0.attempt == 1 && $0.cause == .requested })
        #expect(fetcher.calls.map(\.index) == [0, 1, 2, 3])
    }

    @Test("a call without a context waits for its answer, or finds the one that was given before it", .rule("N7"))
    func answers() {
        let fetcher = lab.fetcher(returning: String.self)
        let (first, second) = (lab.start { try await fetcher.call(1) }, lab.start { try await fetcher.call(2) })
        #expect(fetcher.pending.map(\.arguments) == [["1"], ["2"]])
        #expect(fetcher.succeed(1, with: "two"))
        #expect(first.result == nil && second.value == "two")
        fetcher.fail(with: Refused())
        #expect(first.error is Refused)
        fetcher.succeed(with: "three")
        let third = lab.start { try await fetcher.call(3) }
        #expect(third.value == "three")
        #expect(fetcher.pendingCount == 0)
    }

    @Test("an answer that is given as soon as a call is known goes to that call", .rule("N7"))
    func answerAtTheBeginning() async throws {
        for seed: UInt64 in 0..<200 {
            let value = try await Interleaving(seed: seed).run { _ in
                let fetcher = ScriptedFetcher(returning: Int.self)
                async let answer = fetcher.call()
                while fetcher.calls.isEmpty { await Task.yield() }
                fetcher.succeed(with: 1)
                return try await answer
            }
            #expect(value == 1)
        }
    }

    @Test("a cancelled call ends, unless the fetcher ignores cancellation", .rule("N7"))
    func cancellation() {
        let fetcher = lab.fetcher(returning: Int.self)
        let task = lab.start { try await fetcher.call("a") }
        task.cancel()
        #expect(task.error is CancellationError)
        #expect(fetcher.pendingCount == 0)
        let stubborn = lab.fetcher(returning: Int.self, ignoringCancellation: true)
        let other = lab.start { try await stubborn.call("a") }
        other.cancel()
        #expect(other.result == nil)
        stubborn.succeed(with: 1)
        #expect(other.value == 1)
    }

    @Test("a call in a task that is cancelled already ends", .rule("N7"))
    func cancelledBefore() {
        let stubborn = lab.fetcher(returning: Int.self, ignoringCancellation: true)
        let fetcher = lab.fetcher(returning: Int.self)
        let task = lab.start { try await stubborn.call("a") + fetcher.call("b") }
        task.cancel()
        #expect(fetcher.calls.isEmpty)
        stubborn.succeed(with: 1)
        #expect(task.error is CancellationError)
        #expect(fetcher.calls.count == 1 && fetcher.pendingCount == 0)
    }

    @Test("yielding and `not modified` need a context, and say when there is none", .rule("N7"))
    func context() {
        let fetcher = lab.fetcher(returning: String.self)
        #expect(!fetcher.yield("early"))
        #expect(!fetcher.notModified())
        let task = lab.start { try await fetcher.call("a") }
        #expect(!fetcher.yield("some"))
        #expect(!fetcher.notModified())
        #expect(fetcher.pendingCount == 1)
        fetcher.succeed(with: "all")
        #expect(task.value == "all")

        let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
        #expect(fetcher.yield("part"))
        #expect(observer.value == "part")
        fetcher.succeed(with: "all")
        let refetch = lab.start { try await observer.refetch() }
        #expect(fetcher.notModified())
        #expect(refetch.value == "all")
    }

    @Test("answers at once go to fetches, or to every call", .rule("N7"))
    func atOnce() {
        let fetcher = lab.fetcher(returning: String.self)
        fetcher.answer { context in "fetched \(context.key)" }
        let call = lab.start { try await fetcher.call("a") }
        #expect(call.result == nil)
        let fetched = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
        #expect(fetched.value == "fetched users/1")
        fetcher.answerCalls { call in
            if call.arguments == ["refused"] { throw Refused() }
            return "\(call.index): \(call.key)"
        }
        #expect(call.result == nil)
        let answered = lab.start { try await fetcher.call("b", 2) }
        let refused = lab.start { try await fetcher.call("refused") }
        #expect(answered.value == "2: b/2")
        #expect(refused.error is Refused)
        let observer = lab.client.observe(QueryDefinition("users", 2, fetch: fetcher.fetch))
        #expect(observer.value == "4: users/2")
    }

    @Test("an answer to a page is in the list when the call that answers returns", .rule("N7"))
    func pages() {
        let (lab, fetcher) = (lab, lab.fetcher(returning: [Int].self))
        let numbers = QueryDefinition.pages("numbers", first: 1) { page, _ in
            try await fetcher.call(page)
        } next: { numbers, page in
            numbers.isEmpty ? nil : page + 1
        }
        let observer = lab.client.observe(numbers)
        fetcher.succeed(with: [1, 2])
        #expect(observer.value.map { Array($0) } == [[1, 2]])
        let next = lab.start { try await lab.client.fetchNextPage(of: numbers) }
        #expect(observer.snapshot.nextPage.isFetching)
        fetcher.succeed(with: [3])
        #expect(observer.value.map { Array($0) } == [[1, 2], [3]])
        #expect(next.value?.count == 2)
        let refused = lab.start { try await lab.client.fetchNextPage(of: numbers) }
        fetcher.fail(with: Refused())
        #expect(observer.snapshot.nextPage.error is Refused)
        #expect(refused.error is Refused)
        #expect(fetcher.calls.map(\.arguments) == [["1"], ["2"], ["3"]])
    }

    @Test("a mutation of the engine has ended when the call that answers returns", .rule("N7"))
    func mutations() throws {
        struct Rename: Mutating {
            let server: ScriptedFetcher<String>

            func run(_ context: MutationContext) async throws -> String { try await server.call("rename", "Ann") }
            func optimistic(_ edits: inout OptimisticEdits) {
                edits.update(QueryDefinition<String>.value("name")) { $0 = "Ann" }
            }
        }
        let (lab, server) = (lab, lab.fetcher(returning: String.self))
        try lab.client.set("Bea", for: "name")
        let change = lab.start { try await lab.client.mutate(Rename(server: server)) }
        #expect(lab.client.value(of: "name") == "Ann")
        server.fail(with: Refused())
        #expect(change.error is Refused)
        #expect(lab.client.value(of: "name") == "Bea")
    }
}
