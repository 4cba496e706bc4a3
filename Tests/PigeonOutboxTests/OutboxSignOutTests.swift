import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("The outbox at sign-out, on several threads", .timeLimit(.minutes(2)))
struct OutboxSignOutTests {
    /// Notes which attempts have begun, and when the session ended.
    private final class Gate: Sendable {
        private struct State {
            var isOver = false
            var late = 0
        }

        private let state = Locked(State())

        var late: Int { state.withLock { $0.late } }

        /// Called by each attempt when it begins. A cancellation that came before is one that it has heard of.
        func enter() throws {
            try state.withLock { state in
                try Task.checkCancellation()
                if state.isOver { state.late += 1 }
            }
        }

        /// Called by an attempt that does not ask whether it is cancelled.
        func note() {
            state.withLock { state in
                if state.isOver { state.late += 1 }
            }
        }

        var isClosed: Bool { state.withLock { $0.isOver } }

        func close() { state.withLock { $0.isOver = true } }
    }

    private struct Pass: DurableMutation {
        var number: Int

        func run(_ context: MutationContext) async throws -> Bool {
            try context[Gate.self].enter()
            return true
        }
    }

    /// Returns the number of attempts that began after the session had ended.
    private func lateAttempts(
        _ seed: UInt64, end: @escaping @Sendable (QueryClient) async throws -> Void
    ) async throws -> Int {
        let gate = Gate()
        try await Interleaving(seed: seed).run { environment in
            let client = QueryClient(
                outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Pass.self], session: "ann"),
                dependencies: Dependencies(gate), environment: environment)
            for number in 0..<2 { try await client.enqueue(Pass(number: number)) }
            try await end(client)
            gate.close()
        }
        // The interleaving has also run what was left.
        return gate.late
    }

    @Test("no attempt begins once a sign-out has returned, whatever the threads do", .rule("O6"))
    func clear() async throws {
        for seed: UInt64 in 0..<400 {
            let late = try await lateAttempts(seed) { try await $0.clear() }
            #expect(late == 0, "seed \(seed)")
        }
    }

    @Test(
        "an attempt that was ended before its task has begun is not made, even if it heeds no cancellation", .rule("O6")
    )
    func endedBefore() async throws {
        struct Heedless: DurableMutation {
            func run(_ context: MutationContext) async throws -> Bool {
                try context[Gate.self].note()
                return true
            }
        }
        let gate = Gate()
        let client = Locked<QueryClient?>(nil)
        let isNext = Locked(false)
        let environment = QueryEnvironment(launch: { operation in
            // The attempt is registered, and its task is started next.
            if isNext.withLock({ isNext in
                defer { isNext = false }
                return isNext
            }) {
                client.withLock { $0 }?.outbox.setSession("bob")
                gate.close()
            }
            return QueryEnvironment.launchImmediately(operation)
        })
        let made = QueryClient(
            outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Heedless.self], session: "ann"),
            dependencies: Dependencies(gate), environment: environment)
        client.withLock { $0 = made }
        let events = made.onEvent { event in
            if case .mutating = event.kind { isNext.withLock { $0 = true } }
        }
        try await made.enqueue(Heedless())
        await made.outbox.drain()
        #expect(gate.isClosed)
        #expect(gate.late == 0)
        withExtendedLifetime(events) {}
        client.withLock { $0 = nil }
    }

    @Test("no attempt begins once the session has changed, whatever the threads do", .rule("O6"))
    func session() async throws {
        for seed: UInt64 in 0..<400 {
            let late = try await lateAttempts(seed) { $0.outbox.setSession("bob") }
            #expect(late == 0, "seed \(seed)")
        }
    }
}
