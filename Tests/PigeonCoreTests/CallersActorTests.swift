import PigeonBase
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("The caller's actor")
struct CallersActorTests {
    @Test("an operation that can be cancelled stays on the caller's actor, also after it has waited")
    func operation() async {
        let places = await withCancellationHandler {
            let before = MainActor.isCurrent
            await withCheckedContinuation { continuation in
                Task.detached { continuation.resume() }
            }
            return [before, MainActor.isCurrent]
        } onCancel: {
        }
        #expect(places == [true, true])
    }

    @Test("a caller on the main actor that waits for a fetch has the answer in the actor's next turn")
    func fetch() async throws {
        let lab = QueryLab()
        let fetcher = lab.fetcher(returning: Int.self)
        let definition = QueryDefinition("count", fetch: fetcher.fetch)
        let values = Recorder<Int>()
        let caller = Task { values.append(try await lab.client.fetch(definition)) }
        while fetcher.pendingCount == 0 { await Task.yield() }
        // The caller waits by now, and only the main actor can resume it.
        fetcher.succeed(with: 7)
        await Task { @MainActor in }.value
        #expect(values.all == [7])
        try await caller.value
    }
}
