import PigeonBase
import Testing

@MainActor
@Suite("The caller's actor")
struct CallersActorTests {
    /// Waits as functions of the library do, which have no actor of their own.
    ///
    /// - Returns: Whether the operation was on the main actor before and after it waited.
    private nonisolated func places() async -> [Bool] {
        await withCancellationHandler {
            let before = MainActor.isCurrent
            await withCheckedContinuation { continuation in
                Task.detached { continuation.resume() }
            }
            return [before, MainActor.isCurrent]
        } onCancel: {
        }
    }

    @Test("an operation that can be cancelled stays on the caller's actor, also after it has waited")
    func operation() async {
        #expect(await places() == [true, true])
    }
}
